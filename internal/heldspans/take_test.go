package heldspans_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// twoScopes is a resource with two scopes of two spans each: a, b and c, d.
func twoScopes() ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	for _, names := range [...]string{"ab", "cd"} {
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("scope " + names)
		for _, name := range names {
			span := ss.Spans().AppendEmpty()
			span.SetName(string(name))
			span.SetTraceID([16]byte{1})
			span.SetSpanID([8]byte{byte(name)})
			span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
		}
	}
	return td
}

func candidatesAt(places ...heldspans.Place) []heldspans.Candidate {
	var all []heldspans.Candidate
	for _, at := range places {
		all = append(all, heldspans.Candidate{Place: at, Kind: evidence.Agent})
	}
	return all
}

const ample = 1 << 20 // bytes

// The places of the spans of twoScopes.
var a, b, c, d = heldspans.Place{}, heldspans.Place{Span: 1}, heldspans.Place{Scope: 1}, heldspans.Place{Scope: 1, Span: 1}

var batches = []struct {
	name       string
	candidates []heldspans.Place
	change     func(td ptrace.Traces)
	room       int64
	taken      string
	left       string
	unheld     heldspans.Bound
	reason     string
}{
	{name: "one of each scope", candidates: []heldspans.Place{b, c}, room: ample, taken: "bc", left: "ad", reason: "other spans keep their order"},
	{name: "a whole scope", candidates: []heldspans.Place{a, b}, room: ample, taken: "ab", left: "cd", reason: "a scope without spans goes"},
	{name: "all", candidates: []heldspans.Place{a, b, c, d}, room: ample, taken: "abcd", reason: "a resource without scopes goes"},
	{name: "no room", candidates: []heldspans.Place{a, d}, taken: "", left: "abcd", unheld: heldspans.TooMuchMemory, reason: "what does not fit stays in the batch"},
	{name: "a long resource", candidates: []heldspans.Place{a, d}, room: ample, left: "abcd", unheld: heldspans.TooWide, change: func(td ptrace.Traces) {
		td.ResourceSpans().At(0).Resource().Attributes().PutStr("text", strings.Repeat("x", 300<<10))
	}, reason: "each release would have the resource"},
	{name: "a span of empty parts", candidates: []heldspans.Place{a}, room: ample, left: "abcd", unheld: heldspans.TooDense, change: func(td ptrace.Traces) {
		for range 1000 {
			a.In(td).Events().AppendEmpty()
		}
	}, reason: "an empty event is two bytes on the wire and a hundred in memory"},
	{name: "deep values", candidates: []heldspans.Place{a}, room: ample, left: "abcd", unheld: heldspans.TooDeep, change: func(td ptrace.Traces) {
		v := a.In(td).Attributes().PutEmptySlice("deep")
		for range 2000 {
			v = v.AppendEmpty().SetEmptySlice()
		}
	}, reason: "each level costs stack wherever the span is copied"},
}

func TestCandidatesLeaveTheirBatchAndTheRestStays(t *testing.T) {
	for _, tc := range batches {
		t.Run(tc.name, func(t *testing.T) {
			td := twoScopes()
			if tc.change != nil {
				tc.change(td)
			}
			var got heldspans.Taken
			got.Take(td, candidatesAt(tc.candidates...), tc.room)
			var taken, left strings.Builder
			for i := range got.Held {
				taken.WriteString(got.Held[i].Data.Name())
			}
			for _, rs := range td.ResourceSpans().All() {
				require.NotZero(t, rs.ScopeSpans().Len(), "a resource without scopes stayed")
				for _, ss := range rs.ScopeSpans().All() {
					require.NotZero(t, ss.Spans().Len(), "a scope without spans stayed")
					for _, span := range ss.Spans().All() {
						left.WriteString(span.Name())
					}
				}
			}
			require.Equal(t, [2]string{tc.taken, tc.left}, [2]string{taken.String(), left.String()}, "taken and left: %s", tc.reason)
			if tc.unheld != heldspans.Holdable {
				require.Equal(t, len(tc.candidates), got.Unheld[tc.unheld], "kept from being held: %s", tc.reason)
			}
			require.Equal(t, heldspans.Leave(got.Held), got.Origins, "bytes that the held spans share")
		})
	}
}
