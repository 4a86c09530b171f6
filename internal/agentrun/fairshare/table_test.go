package fairshare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
)

// at is the time of that many seconds.
func at(seconds int) pcommon.Timestamp {
	return pcommon.Timestamp(time.Duration(seconds) * time.Second)
}

// entry is one of that time and size.
func entry(value, start, end, bytes int) fairshare.Entry[int] {
	return fairshare.Entry[int]{Value: value, Bytes: bytes, Start: at(start), End: at(end)}
}

// values are what a process has.
func values(t *fairshare.Table[int], p agentrun.Process) (all []int) {
	for _, e := range t.Of(p) {
		all = append(all, e.Value)
	}
	return all
}

const victim, other = agentrun.Process(1), agentrun.Process(2)

// A full table drops entries of the process that has most, by their number or by their size.
func TestTheLargestShareGivesWay(t *testing.T) {
	for _, tc := range []struct {
		name   string
		play   func(*fairshare.Table[int])
		want   []int // of the victim
		lost   bool
		reason string
	}{
		{"another process adds many", func(t *fairshare.Table[int]) {
			for i := range 3 {
				t.Add(0, victim, entry(i, 1, 2, 1))
			}
			for i := range 100 {
				t.Add(0, other, entry(i, 1, 2, 1))
			}
		}, []int{0, 1, 2}, false, "the other one has most"},
		{"another process adds large ones", func(t *fairshare.Table[int]) {
			for i := range 3 {
				t.Add(0, victim, entry(i, 1, 2, 1))
			}
			for i := range 100 {
				t.Add(0, other, entry(i, 1, 2, 39))
			}
		}, []int{0, 1, 2}, false, "the other one has most bytes"},
		{"a process has more than a half", func(t *fairshare.Table[int]) {
			for i := range 8 {
				t.Add(0, victim, entry(i, 1, 2, 1))
			}
			for i := range 100 {
				t.Add(0, other, entry(i, 1, 2, 1))
			}
		}, []int{3, 4, 5, 6, 7}, true, "both have a half, and the victim would have kept all in a table of its own"},
		{"a process fills the table alone", func(t *fairshare.Table[int]) {
			for i := range 12 {
				t.Add(0, victim, entry(i, 1, 2, 1))
			}
		}, []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, false, "no other process took anything"},
		{"many processes", func(t *fairshare.Table[int]) {
			t.Add(at(0), victim, entry(0, 1, 2, 1))
			for i := range 20 {
				t.Add(at(1+i), other+agentrun.Process(i), entry(i, 1, 2, 1))
			}
		}, nil, true, "of equal shares, the one goes that grew longest ago"},
		{"a process that has ended", func(t *fairshare.Table[int]) {
			t.Add(at(0), victim, entry(0, 1, 2, 1))
			for i := range 11 {
				t.Add(at(1000), other, entry(i, 1, 2, 1))
			}
		}, nil, true, "its entries go first, though others have more, and a run that is still open may miss them"},
		{"one entry that is too large", func(t *fairshare.Table[int]) { t.Add(0, victim, entry(0, 1, 2, 1000)) }, nil, false,
			"no table has room for it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			table := fairshare.New[int](fairshare.Bounds{Entries: 10, Bytes: 100}, nil)
			tc.play(table)
			require.Equal(t, tc.want, values(table, victim), tc.reason)
			require.Equal(t, tc.lost, table.HasLost(victim), tc.reason)
			require.Equal(t, tc.lost, table.MayHaveLost(victim, at(1), at(2), 0), tc.reason)
		})
	}
}

// A loss concerns look-ups of its process, time and tag alone.
func TestALossHasATimeAndATag(t *testing.T) {
	table := fairshare.New[int](fairshare.Bounds{Entries: 4}, nil)
	for i := range 4 {
		e := entry(i, 10*i, 10*i+5, 1)
		e.Tag = uint32(i)
		table.Add(0, victim, e)
	}
	table.Add(0, other, entry(0, 0, 0, 1))
	table.Add(0, other, entry(0, 0, 0, 1)) // the victim has lost 0 and 1
	for _, tc := range []struct {
		name       string
		process    agentrun.Process
		start, end int
		tag        uint32
		want       bool
		reason     string
	}{
		{"the entry", victim, 0, 5, 0, true, "it is lost"},
		{"a time that ends in the entry", victim, 11, 12, 1, true, "it overlaps"},
		{"a later time", victim, 16, 99, 1, false, "what ran then is still there"},
		{"another tag", victim, 0, 15, 2, false, "no entry with this tag is lost"},
		{"another process", other, 0, 99, 0, false, "it lost nothing"},
	} {
		require.Equal(t, tc.want, table.MayHaveLost(tc.process, at(tc.start), at(tc.end), tc.tag), "%s: %s", tc.name, tc.reason)
	}
}

// A loss is forgotten once the process has added so many entries that it would have lost the entry anyway.
func TestALossIsForgotten(t *testing.T) {
	for name, bytes := range map[string]int{"by entries": 0, "by bytes": 25} {
		t.Run(name, func(t *testing.T) {
			table := fairshare.New[int](fairshare.Bounds{Entries: 10, Bytes: 250}, nil)
			for i := range 10 {
				table.Add(0, victim, entry(i, i, i, bytes))
			}
			table.Add(0, other, entry(0, 0, 0, bytes))
			for i := range 10 {
				require.True(t, table.MayHaveLost(victim, at(0), at(0), 0), "after %d", i)
				table.Add(0, victim, entry(100+i, 100, 100, bytes))
			}
			for range 20 {
				table.Add(0, victim, entry(200, 200, 200, bytes))
			}
			require.False(t, table.MayHaveLost(victim, at(0), at(0), 0), "the process has filled a table since then")
			require.True(t, table.HasLost(victim), "it still shares the table")
		})
	}
}

// If too many processes have losses, all of them may have lost what is older. A sender cannot date losses later than now.
func TestLossesOfManyProcessesAreOneTime(t *testing.T) {
	now := 1000
	table := fairshare.New[int](fairshare.Bounds{Entries: 2}, nil)
	for i := range 2 * fairshare.MaxLosers {
		table.Add(at(now), agentrun.Process(10+i), fairshare.Entry[int]{Start: 0, End: math.MaxUint64, Bytes: 1})
	}
	require.True(t, table.MayHaveLost(victim, at(0), at(1), 7), "any process may have lost an old entry")
	require.True(t, table.MayHaveLost(victim, at(now), at(now+1), 7))
	require.False(t, table.MayHaveLost(victim, at(now+100), at(now+200), 7), "runs that begin later are not concerned")
	require.LessOrEqual(t, table.Bytes(), 2+fairshare.MaxLosers*200)
}

// Whatever processes add, a table keeps its bounds, and the newest of each process. A process either has all entries that a
// table of its own would have, or it has lost what is missing.
func TestWhatIsMissingIsLost(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		bounds := fairshare.Bounds{Entries: 1 + rng.IntN(20), Bytes: rng.IntN(2) * (1 + rng.IntN(200))}
		dropped := 0
		table := fairshare.New(bounds, func(int) { dropped++ })
		alone := map[agentrun.Process]*fairshare.Table[int]{}
		for i := range 200 {
			p := agentrun.Process(1 + rng.IntN(1+rng.IntN(6)))
			e := entry(i, i, i, 1+rng.IntN(20))
			if alone[p] == nil {
				alone[p] = fairshare.New[int](bounds, nil)
			}
			now := at(i * rng.IntN(3))
			table.Add(now, p, e)
			alone[p].Add(now, p, e)
			entries := 0
			for p, own := range alone {
				has, would := values(table, p), values(own, p)
				entries += len(has)
				missing := would[:max(0, len(would)-len(has))]
				if !slices.Equal(would[len(missing):], has) {
					t.Fatalf("seed %d: process %d has %v, want the newest of %v", seed, p, has, would)
				}
				for _, m := range missing {
					if !table.MayHaveLost(p, at(m), at(m), 0) {
						t.Fatalf("seed %d: process %d has %v and says that it lost none of %v", seed, p, has, would)
					}
				}
			}
			if entries != table.Len() || entries > bounds.Entries || dropped != i+1-entries {
				t.Fatalf("seed %d: %d entries, %d dropped after %d; the table says %d", seed, entries, dropped, i+1, table.Len())
			}
		}
	}
}

// BenchmarkAdd adds entries of many processes to a full table.
func BenchmarkAdd(b *testing.B) {
	table := fairshare.New[int](fairshare.Bounds{Entries: 1024, Bytes: 1 << 20}, nil)
	for i := 0; b.Loop(); i++ {
		table.Add(at(i), agentrun.Process(1+i%300), entry(i, i, i, 500))
	}
}
