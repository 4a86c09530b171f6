package lookup

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A sight is that an instrumentation of a process records a call of a new ID. ended is the second of its span's end.
type sight struct {
	process agentrun.Process
	scope   agentrun.Scope
	ended   int64
	bucket  uint64
}

// add adds a sight at a second of our clock.
func (s sight) add(k *CallIDIndex, second int64, number int) {
	callID := agentrun.ScopedCallID{ID: idOf(k, s.process, s.bucket, number), Process: s.process, Scope: s.scope}
	by := agentrun.Span{Trace: pcommon.TraceID{byte(number), 1}, End: pcommon.Timestamp(s.ended) * 1e9}
	k.Add(uint32(second), k.AppendSighting(nil, callID, &by))
}

// idOf is a call ID with a number, whose place for that process is in a bucket.
func idOf(k *CallIDIndex, p agentrun.Process, bucket uint64, number int) string {
	for n := 0; ; n++ {
		id := fmt.Sprintf("call_%d_%d_abcdefghij", number, n)
		if k.AppendSighting(nil, agentrun.ScopedCallID{ID: id, Process: p}, in(pcommon.TraceID{1}))[0].hash()&uint64(k.most-1) == bucket {
			return id
		}
	}
}

func TestMayHaveLost(t *testing.T) {
	const now, began = 1000, 890
	two := []sight{{process: 1, scope: 1, ended: 900}, {process: 1, scope: 2, ended: 901}}
	others := []sight{{process: 2, scope: 1, ended: 950}, {process: 3, scope: 1, ended: 950}, {process: 4, scope: 1, ended: 950}}
	lost := slices.Concat(two, others) // the first ID
	for _, tc := range []struct {
		name   string
		sights []sight
		began  int64         // of the anchor, which process 1 sent
		calls  map[int]int64 // of the run: the number of the sight, and when the call began
		lost   bool
		reason string
	}{
		{"nothing is given up", two, began, map[int]int64{0: 895}, false, "the bucket has room"},
		{"others fill the bucket", lost, began, map[int]int64{1: 896, 0: 895}, true, "process 1 had most of it, and lost its first ID"},
		{"a run with another call", lost, began, map[int]int64{1: 896}, false, "its ID is in the table"},
		{"a run without calls", lost, began, nil, false, "nothing is lost"},
		{"one instrumentation", append([]sight{two[0], two[0]}, others...), began, map[int]int64{0: 895}, false, "no other record of the run can exist"},
		{"an unknown instrumentation", append([]sight{{process: 1, ended: 900}, two[0]}, others...), began, map[int]int64{0: 895}, true, "it may be another one"},
		{"a run that began soon after", lost, 1079, map[int]int64{0: 1079}, true, "a tool runs after the model has requested it"},
		{"a run that began later", lost, 1081, map[int]int64{0: 1081}, false, "the lost ID is of an earlier run"},
		{"a joined run", lost, 950, map[int]int64{0: 899, 1: 949}, true, "one of its calls began before the anchor"},
		{"own IDs fill the bucket", append(two, two[0], two[1], two[0]), began, map[int]int64{0: 895}, false, "a table of its own would have lost them too"},
		{"own IDs, where others have places", append([]sight{others[0], others[1]}, two[0], two[1], two[0]), began, map[int]int64{2: 895}, true,
			"in a table of its own they have room"},
		{"others lose IDs", []sight{others[0], others[1], others[2], {process: 5, scope: 1}, {process: 6, scope: 1}, {process: 1, scope: 1, ended: 900, bucket: 1},
			{process: 1, scope: 2, ended: 900, bucket: 1}}, began, map[int]int64{5: 895, 6: 895}, false, "process 1 lost none"},
		{"an ID of the future", append([]sight{{process: 1, scope: 1, ended: 1_000_000}, two[1]}, others...), now + aheadSeconds + 181, map[int]int64{0: 1_000_000},
			false, "otherwise a sender could make all later runs incomplete"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			k := indexOfDistinct(tc.sights)
			for i, s := range tc.sights {
				s.add(k, now, i)
			}
			run := agentrun.Run{Anchors: []agentrun.Anchor{{Span: agentrun.Span{Start: pcommon.Timestamp(tc.began) * 1e9, Process: 1}}}}
			for i, start := range tc.calls {
				c := agentrun.Call{Span: agentrun.Span{Start: pcommon.Timestamp(start) * 1e9, Process: 1}}
				c.CallID = idOf(k, 1, tc.sights[i].bucket, i)
				run.Calls = append(run.Calls, c)
			}
			require.Equal(t, tc.lost, k.MayHaveLost(&run), tc.reason)
		})
	}
}

// indexOfDistinct is an index in which no two of the processes, and no two of the IDs, share what is known of them.
func indexOfDistinct(sights []sight) *CallIDIndex {
	for {
		k := NewCallIDIndex(0)
		k.Add(0, nil)
		places, processes := map[*uint32]bool{}, map[agentrun.Process]bool{}
		for i, s := range sights {
			places[k.lost.of(k.hashOf(idOf(k, s.process, s.bucket, i), s.process))] = true
			places[k.lost.scope(k.from(s.process))] = true
			processes[s.process] = true
		}
		if len(places) == len(sights)+len(processes) {
			return k
		}
	}
}

// If a process would find a call in a table of its own, it finds the call in the table that all share. Otherwise its run may
// have lost an ID.
func TestNoIDIsLostWithoutASign(t *testing.T) {
	type record struct {
		process agentrun.Process
		call    int
		trace   pcommon.TraceID
	}
	silent, signs, found := 0, 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		k, own, first := NewCallIDIndex(0), map[agentrun.Process]*CallIDIndex{}, map[record]int64{}
		for second := int64(1); second < 3000; second++ {
			p := agentrun.Process(1 + r.IntN(4))
			if r.IntN(2) == 0 {
				p = agentrun.Process(100 + r.IntN(1000)) // an invented one
			}
			call := int(second)/60*10 + r.IntN(20)
			scope := byte(1 + r.IntN(2))
			trace := pcommon.TraceID{byte(p), byte(p >> 8), scope, byte(call / 3), byte(call / 3 >> 8)}
			if own[p] == nil {
				own[p] = &CallIDIndex{seed: k.seed, salts: k.salts, most: k.most}
			}
			seen := record{p, call, trace}
			if _, known := first[seen]; !known {
				first[seen] = second
			}
			list := k.AppendSighting(nil, agentrun.ScopedCallID{ID: fmt.Sprintf("call_%d_abcdefghij", call), Process: p, Scope: agentrun.Scope(scope)},
				&agentrun.Span{Trace: trace, End: pcommon.Timestamp(second) * 1e9})
			now := uint32(second)
			shared := map[SharedCall]bool{}
			for _, two := range k.Add(now, list) {
				shared[two] = true
			}
			for _, two := range own[p].Add(now, list) {
				began := first[record{p, call, two.Traces[1]}]
				at := agentrun.Span{Start: pcommon.Timestamp(began) * 1e9, Process: p}
				run := agentrun.Run{Anchors: []agentrun.Anchor{{Span: at}}, Calls: []agentrun.Call{{Span: at}}}
				run.Calls[0].CallID = fmt.Sprintf("call_%d_abcdefghij", call)
				switch {
				case shared[two]:
					found++
				case k.MayHaveLost(&run):
					signs++
				default:
					silent++
				}
			}
		}
	}
	require.Zero(t, silent, "calls that were not found, though their runs may be complete")
	require.Greater(t, signs, 100, "the table is small enough to lose IDs")
	require.Greater(t, found, 100, "and large enough to keep some")
}

// Size counts what the tables take.
func TestBytesOfTheIndex(t *testing.T) {
	require.EqualValues(t, bucketBytes, reflect.TypeFor[callIDBucket]().Size())
	l := newCallIDLosses(leastBuckets)
	require.Equal(t, lossBytes*leastBuckets, 4*(len(l.scopes)+len(l.ended)))
}
