package expectcheck

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestReach(t *testing.T) {
	// entry is an expectation for the metrics, with a condition that always gives the same answer.
	entry := func(place, condition string, metrics ...string) Entry {
		return Entry{Place: place, Condition: condition, Metrics: metrics, Repeats: true, Decides: true}
	}
	with := func(e Entry, change func(*Entry)) Entry {
		change(&e)
		return e
	}
	always := func(e *Entry) { e.Always = true }
	for _, tc := range []struct {
		name   string
		list   []Entry
		want   []int  // the metrics that can use the last entry
		why    string // if they are none
		reason string
	}{
		{
			"other conditions", []Entry{entry("a", "x", "m"), entry("b", "y", "m")},
			[]int{0}, "", "if the first does not hold, the second is tried",
		},
		{
			"the same condition", []Entry{entry("a", "x", "m"), entry("b", "x", "m")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "where the second holds, the first has been used",
		},
		{
			"the same condition, of which another part is asked", []Entry{entry("a", "x", "m"), with(entry("b", "x", "m"), func(e *Entry) { e.Repeats = false })},
			[]int{0}, "", "a condition that gives another answer each time may hold the second time alone",
		},
		{
			"the same condition, and the first may leave the run", []Entry{with(entry("a", "x", "m"), func(e *Entry) { e.Decides = false }), entry("b", "x", "m")},
			[]int{0}, "", "a dataset without a case for the run leaves it to the next expectation",
		},
		{
			"behind one without a condition", []Entry{with(entry("a", "", "m"), always), entry("b", "y", "m")},
			nil, "a stands before it, is for the same metrics, and has no `when`", "the first is used on every run",
		},
		{
			"another metric", []Entry{with(entry("a", "", "m"), always), entry("b", "", "n")},
			[]int{0}, "", "each metric has a first expectation of its own",
		},
		{
			"one metric of two", []Entry{with(entry("a", "", "m"), always), entry("b", "y", "m", "n")},
			[]int{1}, "", "an expectation that one metric uses decides something",
		},
		{
			"two metrics, each behind another one", []Entry{with(entry("a", "", "m"), always), entry("b", "y", "n"), entry("c", "y", "m", "n")},
			nil, "for the metric \"m\", a stands before it and has no `when`; for the metric \"n\", b stands before it and has the same `when`",
			"a reader must see the cause for each metric",
		},
		{
			"two metrics behind the same one", []Entry{entry("a", "x", "m", "n"), entry("b", "x", "m", "n")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "one cause is said once",
		},
		{
			"no condition hides the same one", []Entry{entry("a", "x", "m"), with(entry("b", "", "m"), always), entry("c", "x", "m")},
			nil, "b stands before it, is for the same metrics, and has no `when`", "one without a condition is the stronger cause",
		},
		{
			"behind two that are alike", []Entry{entry("a", "x", "m"), entry("b", "x", "m"), entry("c", "x", "m")},
			nil, "a stands before it, is for the same metrics, and has the same `when`", "the one that is used is named, not one that no metric uses either",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := Reach(tc.list)
			assert.Len(t, found, len(tc.list), tc.reason)
			last := &found[len(found)-1]
			assert.Equal(t, tc.want, last.Metrics, tc.reason)
			if tc.want == nil {
				assert.Equal(t, tc.why, last.Why(), tc.reason)
			}
		})
	}
}

// Reach depends on the entries before an entry, not on those behind it. An entry for several metrics has the same extents as
// for each alone.
func TestReachLooksBackOnly(t *testing.T) {
	list := everyEntry()
	all := Reach(list)
	for n := range list {
		assert.Equal(t, all[:n], Reach(list[:n]), "entries behind the first %d change nothing for them", n)
	}
	for _, metric := range []string{"m", "n"} {
		alone := slices.Clone(list)
		for i := range alone {
			alone[i].Metrics = slices.DeleteFunc(slices.Clone(alone[i].Metrics), func(name string) bool { return name != metric })
		}
		for i, extent := range Reach(alone) {
			at := slices.Index(list[i].Metrics, metric)
			assert.Equal(t, len(extent.Metrics) == 1, at >= 0 && slices.Contains(all[i].Metrics, at), "entry %d, %s: metrics do not meet", i, metric)
		}
	}
}

// everyEntry has entries of each kind, for one metric and for two, with few conditions so that the same ones come again.
func everyEntry() (list []Entry) {
	for i := range 64 {
		e := Entry{Place: string(rune('0' + i)), Condition: string(rune('a' + i*7%3)), Repeats: i%2 > 0, Decides: i%3 > 0, Always: i == 40}
		e.Metrics = [][]string{{"m"}, {"n"}, {"m", "n"}, {"n", "m"}}[i%4]
		list = append(list, e)
	}
	return list
}
