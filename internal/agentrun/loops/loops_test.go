package loops_test

import (
	"slices"
	"strings"
	"testing"
	"unique"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/loops"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// begins is a model call where messages begin. It requests a tool.
func begins(by agentrun.Process, spec, tool string) agentrun.ModelResponse {
	return shown(by, spec, tool, "", true)
}

// goesOn is a model call that was shown the result of a tool. It requests another one.
func goesOn(spec, tool, answered string) agentrun.ModelResponse {
	return shown(1, spec, tool, "call_of_"+answered, false)
}

func shown(by agentrun.Process, spec, tool, answered string, begins bool) agentrun.ModelResponse {
	s := runtest.At(spec)
	s.Process = by
	return agentrun.ModelResponse{
		Span: s, Begins: begins, Answered: answered, MessagesOnly: true,
		Requests: []agentrun.ToolRequest{{ID: "call_of_" + tool, Name: tool}},
	}
}

func call(spec, tool string) agentrun.PendingCall {
	s := runtest.At(spec)
	return agentrun.PendingCall{ID: s.ID, Parent: s.Parent, Start: s.Start, End: s.End, Process: 1, Name: unique.Make(tool)}
}

// say writes what a candidate has: its model calls, and the tools that it called.
func say(s *ownership.Candidate) string {
	var words []string
	for i := range s.Responses {
		words = append(words, runtest.Letter(s.Responses[i].ID))
	}
	for i := range s.Calls {
		words = append(words, s.Calls[i].Name.Value())
	}
	return strings.Join(words, " ")
}

func TestLoopsBelowASpan(t *testing.T) {
	two := []agentrun.ModelResponse{begins(1, "m<r 1-2", "search"), begins(1, "n<r 3-4", "refund")}
	again := goesOn("q<r 5-6", "pay", "refund")
	again.Requests[0].ID = "call_of_search"
	many := slices.Clone(two)
	for range 20 {
		many[1].Requests = append(many[1].Requests, agentrun.ToolRequest{Name: "log"})
	}
	for _, tc := range []struct {
		name      string
		kind      agentrun.AnchorKind
		set       agentrun.Settings
		responses []agentrun.ModelResponse
		calls     []agentrun.PendingCall
		want      []string
		reason    string
		doubt     bool
	}{
		{"one loop", agentrun.Root, agentrun.Settings{}, []agentrun.ModelResponse{begins(1, "m<r 1-2", "search"), goesOn("n<r 3-4", "refund", "search")}, nil,
			[]string{"m n"}, "messages begin once", false},
		{"two loops", agentrun.Root, agentrun.Settings{}, two, nil, []string{"m", "n"}, "messages begin again", false},
		{"a loop that goes on", agentrun.Root, agentrun.Settings{}, append(two[:2:2], goesOn("o<r 5-6", "answer", "search")), nil,
			[]string{"m o", "n"}, "the result that it was shown is of the first loop", false},
		{"tool spans", agentrun.Root, agentrun.Settings{}, two, []agentrun.PendingCall{call("c<r 5-6", "search"), call("d<r 7-8", "refund")},
			[]string{"m search", "n refund"}, "a call is of the last loop that requested its tool", false},
		{"many requests of another tool", agentrun.Root, agentrun.Settings{}, many, []agentrun.PendingCall{call("d<r 7-8", "refund")},
			[]string{"m", "n refund"}, "however many there are, they say nothing about the call", false},
		{"a call before its request", agentrun.Root, agentrun.Settings{}, two, []agentrun.PendingCall{call("c<r 0-1", "refund")},
			[]string{"m refund", "n"}, "no loop has requested it yet, so the first one has it", false},
		{"a model call of another process", agentrun.Root, agentrun.Settings{}, []agentrun.ModelResponse{begins(1, "m<r 1-2", "search"), begins(2, "n<r 3-4", "refund")}, nil,
			[]string{"m n"}, "only the process of the run defines its loops", false},
		{"an agent's span", agentrun.Agent, agentrun.Settings{}, two, nil, []string{"m n"}, "its calls are one run", false},
		{"calls count for the runs around", agentrun.Root, agentrun.Settings{Include: true}, two, nil, []string{"m n"}, "the outer run has all calls anyway", false},
		{"the trace is one run", agentrun.Root, agentrun.Settings{WholeTrace: true}, two, nil, []string{"m n"}, "it has no runs inside", false},
		{"an ID of two loops", agentrun.Root, agentrun.Settings{}, append(slices.Clone(two), again), nil, []string{"m", "n q"}, "the model used an ID again for another tool", false},
		{"the result of an ID of two loops", agentrun.Root, agentrun.Settings{}, append(slices.Clone(two), again, goesOn("s<r 7-8", "answer", "search")), nil,
			[]string{"m", "n q s"}, "it may be of either loop", true},
		{"a loop before the span's own", agentrun.Root, agentrun.Settings{}, []agentrun.ModelResponse{begins(1, "m<r 1-2", "search"), begins(1, "r 3-4", "refund")}, nil,
			[]string{"r", "m"}, "the span records the second loop's response", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := runtest.At("r 0-9")
			r.Process = 1
			outer := ownership.Candidate{Span: r, Kind: tc.kind, Responses: tc.responses, Calls: tc.calls}
			inner := loops.TakeInner(&outer, &tc.set, new(compare.Work))
			got := []string{say(&outer)}
			for i := range inner {
				got = append(got, say(&inner[i]))
			}
			require.Equal(t, tc.want, got, tc.reason)
			require.Equal(t, tc.doubt, outer.Contradicted, tc.reason)
		})
	}
}
