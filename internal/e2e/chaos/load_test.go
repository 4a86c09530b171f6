package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestJudgeIsTheShareOfExpectedToolsThatWereCalled(t *testing.T) {
	for _, c := range []struct {
		calls []string
		want  verdict
	}{
		{nil, verdict{complete: true}},
		{[]string{"web_search"}, verdict{called: "web_search", complete: true}},
		{[]string{"send_mail", "search_orders", "send_mail"}, verdict{score: 2.0 / 3, called: "send_mail,search_orders,send_mail", complete: true}},
		{
			[]string{"refund_order", "web_search", "send_mail", "search_orders"},
			verdict{score: 1, passed: true, called: "refund_order,web_search,send_mail,search_orders", complete: true},
		},
	} {
		require.Equal(t, c.want, judge(c.calls))
	}
}

// The wanted verdict is worked out a second time here, from the spans as they are sent.
func TestEveryAnchorsVerdictFollowsFromTheSpans(t *testing.T) {
	scores := map[float64]int{}
	for n := range uint64(20) {
		j := makeJob(7, n, large)
		var sent []span
		for _, request := range j.requests {
			sent = append(sent, request...)
		}
		parents := map[pcommon.SpanID]span{}
		for _, s := range sent {
			parents[s.id.span] = s
		}
		require.Len(t, parents, len(sent), "span ids are unique")
		calls := map[spanID][]string{}
		for _, s := range sent { // of a trace in the order of their ends, which is that of their starts for calls
			if s.operation != "execute_tool" {
				continue
			}
			above := parents[s.parent]
			for above.operation != "invoke_agent" {
				above = parents[above.parent]
			}
			calls[above.id] = append(calls[above.id], s.name)
		}
		for _, r := range j.runs {
			for _, a := range r.anchors {
				require.Equal(t, a.want, judge(calls[a.id]))
				scores[a.want.score]++
			}
		}
	}
	require.Len(t, scores, len(expected)+1, "every score occurs")
}

func TestJobsAreTheSameForASeedAndDifferOtherwise(t *testing.T) {
	first := makeJob(1, 2, small)
	again := makeJob(1, 2, small)
	require.Equal(t, first, again)
	require.NotEqual(t, first, makeJob(2, 2, small))
	ids := map[spanID]bool{}
	total := 0
	for n := range uint64(50) {
		for _, request := range makeJob(1, n, small).requests {
			for _, s := range request {
				ids[s.id] = true
				total++
			}
		}
	}
	require.Len(t, ids, total)
}

func TestARunsFirstAndLastRequestHoldItsEnds(t *testing.T) {
	j := makeJob(3, 4, large)
	require.Len(t, j.runs, large.runs)
	for _, r := range j.runs {
		first, last := len(j.requests), -1
		for k, request := range j.requests {
			for _, s := range request {
				if s.id.trace == r.root.trace {
					first, last = min(first, k), k
				}
			}
		}
		require.Equal(t, []int{first, last}, []int{r.first, r.last})
		end := j.requests[r.last]
		var ofTrace []spanID
		for _, s := range end {
			if s.id.trace == r.root.trace {
				ofTrace = append(ofTrace, s.id)
			}
		}
		require.Equal(t, r.root, ofTrace[len(ofTrace)-1], "the root comes last")
	}
}

func TestSpansAreWrittenAsAnAgentsInstrumentationDoes(t *testing.T) {
	j := makeJob(1, 0, large)
	for _, request := range j.requests {
		td := traces(request)
		require.Equal(t, len(request), td.SpanCount())
		spans := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		for i, s := range request {
			got := spans.At(i)
			require.Equal(t, s.id.trace, got.TraceID())
			require.Equal(t, s.id.span, got.SpanID())
			require.Equal(t, s.parent, got.ParentSpanID())
			require.Less(t, got.StartTimestamp(), got.EndTimestamp())
			operation, ok := got.Attributes().Get("gen_ai.operation.name")
			require.Equal(t, s.operation != "", ok)
			if ok {
				require.Equal(t, s.operation, operation.Str())
			}
		}
	}
}
