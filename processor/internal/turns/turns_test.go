package turns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A job is a run that closes before a slice, counted from 0, and takes its time to be judged.
type job struct {
	name    string
	slice   int
	process agentrun.Process
	bytes   int
	takes   time.Duration
}

// play judges jobs as the processor does. It returns their names in the order in which they are judged, with a bar at the end
// of each slice.
func play(jobs ...job) (order string) {
	var turns Turns
	var waiting []agentrun.Run
	takes := map[string]job{}
	now := time.Unix(1, 0)
	for slice := 0; len(takes) < len(jobs) || len(waiting) > 0; slice++ {
		for _, j := range jobs {
			if j.slice == slice {
				takes[j.name] = j
				own := agentrun.Anchor{Size: j.bytes, Agent: j.name}
				own.Process = j.process
				waiting = append(waiting, agentrun.Run{Anchors: []agentrun.Anchor{own}})
			}
		}
		turns.Begin(now, waiting)
		for len(waiting) > 0 && !turns.Over() {
			next := turns.Next(waiting)
			var took time.Duration
			for i := range next {
				j := takes[next[i].Anchors[0].Agent]
				order += j.name
				took += j.takes
			}
			now = now.Add(took)
			turns.Judged(next, took)
			waiting = waiting[len(next):]
		}
		turns.End(now, waiting)
		order += "|"
	}
	return order
}

func TestTurns(t *testing.T) {
	const ms, small, large, alone = time.Millisecond, 1_000, 30_000, bytesAtOnce + 1
	for _, tc := range []struct {
		name   string
		jobs   []job
		want   string
		reason string
	}{
		{"no waiting", []job{{"a", 0, 1, large, ms}, {"b", 0, 1, small, ms}, {"c", 1, 2, small, ms}}, "ab|c|", "they are judged as they closed"},
		{"small ones first", []job{{"a", 0, 1, alone, Slice}, {"b", 0, 1, large, ms}, {"c", 0, 1, small, ms}, {"d", 1, 2, small, ms}}, "a|cdb|",
			"a thousand bytes cost a millisecond"},
		{"as they closed, if alike", []job{{"a", 0, 1, alone, Slice}, {"b", 0, 1, small, ms}, {"c", 0, 2, small, ms}, {"d", 1, 3, small, ms}}, "a|bcd|",
			"the order of runs of one size stays"},
		{"a process that takes long", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, small, Slice}, {"c", 0, 1, small, Slice}, {"d", 0, 1, small, Slice}, {"e", 1, 2, large, ms},
		}, "a|b|ec|d|", "its own runs wait, and those of another process do not"},
		{"at last", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, 400_000, ms}, {"c", 1, 2, small, Slice}, {"d", 2, 3, small, Slice}, {"e", 3, 4, small, Slice},
		}, "a|c|d|be|", "a run of 400 kB waits 0.4 s longer than small ones, and not for ever"},
		{"forgotten", []job{
			{"a", 0, 1, alone, Slice}, {"b", 0, 1, small, ms}, {"c", 2, 1, alone, Slice}, {"d", 2, 1, small, ms}, {"e", 3, 2, 2 * small, ms},
		}, "a|b|c|de|", "once no run waits, what a process took does not count any more"},
	} {
		t.Run(tc.name, func(t *testing.T) { require.Equal(t, tc.want, play(tc.jobs...), tc.reason) })
	}
}
