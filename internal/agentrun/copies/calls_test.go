package copies

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unique"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// tool is a call of a process, whose span and parent are letters. It takes a second.
func tool(by agentrun.Process, id, parent byte, start pcommon.Timestamp, name, callID, arguments string) agentrun.PendingCall {
	c := agentrun.PendingCall{ID: pcommon.SpanID{id}, Parent: pcommon.SpanID{parent}, Start: start, End: start + 1, Process: by, Name: unique.Make(name), CallID: callID}
	if arguments != "" {
		c.Payloads = &agentrun.CallPayloads{Arguments: scoring.JSON(arguments)}
	}
	return c
}

func TestRecordsOfOneSpan(t *testing.T) {
	one := tool(1, 'a', 'r', 1, "search", "", `{"q":1}`)
	longer := one
	longer.End = 9
	for _, tc := range []struct {
		name         string
		calls        []agentrun.PendingCall
		want         []string
		contradicted bool
		reason       string
	}{
		{"the same twice", []agentrun.PendingCall{one, one}, []string{`search {"q":1}`}, false, "a batch came again"},
		{"under way and ended", []agentrun.PendingCall{one, longer}, []string{`search {"q":1}`}, false, "the end moves while a span is under way"},
		{"with and without a call ID", []agentrun.PendingCall{one, tool(1, 'a', 'r', 1, "search", "call_abcdefghij", "")}, []string{`search call_abcdefghij {"q":1}`}, false, "each fills in the other"},
		{"other arguments", []agentrun.PendingCall{one, tool(1, 'a', 'r', 1, "search", "", `{"q":2}`)}, []string{`search {"q":1}`, `search {"q":2}`}, true, "either may be true"},
		{"of two processes", []agentrun.PendingCall{one, tool(2, 'a', 'r', 1, "search", "", `{"q":1}`)}, []string{`search {"q":1}`, `search {"q":1}`}, false, "each process has its own span IDs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := new(compare.Work)
			c := compare.NewCalls(w)
			kept, contradicted := Settle(tc.calls, &c, w)
			require.Equal(t, tc.want, runtest.SayRecords(kept), tc.reason)
			require.Equal(t, tc.contradicted, contradicted, tc.reason)
		})
	}
}

// Few calls are compared one by one and many are hashed. Both drop the copies, and keep one call of each other record.
func TestRepeatsAreDroppedHoweverManyCallsThereAre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, few - 1, few, few + 1, 63, 64, 65, 500} {
		t.Run(fmt.Sprintf("calls=%d", n), func(t *testing.T) {
			var calls, want []agentrun.PendingCall
			for range n {
				id := byte(random.IntN(1 + n/4)) // 0 is the id of no span, which is never a copy
				c := tool(agentrun.Process(random.IntN(3)), id, 0, 0, [...]string{"a", "b"}[random.IntN(2)], "", "")
				calls = append(calls, c)
				if id == 0 || !slices.Contains(want, c) {
					want = append(want, c)
				}
			}
			var w compare.Work
			kept, _ := DropCalls(calls, &w)
			if !slices.Equal(kept, want) {
				t.Errorf("of %d calls %d are left, want %d: the first record of each span, process and name", n, len(kept), len(want))
			}
		})
	}
}
