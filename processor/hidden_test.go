package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// removing forbids the tool shell with the command rm.
var removing = []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"cmd":"rm"}`)}}

// hiddenCall is a run that makes a forbidden call, or an honest one that makes none.
type hiddenCall struct {
	name      string
	forbidden []scoring.Tool
	spans     []span
	judged    []string // the spans with verdicts
	honest    bool     // the verdicts pass and are complete; else none does both
	reason    string
}

// shellOf is a call of shell with that command.
func shellOf(id, parent string, start, end int, command string) span {
	return tool(id, parent, start, end, "shell").with("gen_ai.tool.call.id", callID).with("gen_ai.tool.call.arguments", `{"cmd":"`+command+`"}`)
}

// askedShell is a model's request for shell with that command.
func askedShell(id, parent string, start, end int, command string) span {
	return model(id, parent, start, end, nil, "shell "+callID).with("llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", `{"cmd":"`+command+`"}`)
}

// hiddenInOtherTraces has calls that a model gives the ID of a call in another trace.
func hiddenInOtherTraces() []hiddenCall {
	run := func(command string) []span {
		return []span{agent("a", "", 1, 50).in(1).by("x"), shellOf("c", "a", 3, 4, command).in(1).by("x")}
	}
	return []hiddenCall{
		{"a request before the call", removing, append(run("ls"), askedShell("n", "", 2, 3, "rm").in(2)), []string{"a", "n"}, false, "its arguments are not those of the call"},
		{"a request after the call", removing, append(run("ls"), askedShell("n", "", 30, 31, "rm").in(2)), []string{"a", "n"}, false, "it was made when the call had ended"},
		{"the request of the call", removing, append(run("ls"), askedShell("n", "", 2, 3, "ls").in(2)), []string{"a"}, true, "another instrumentation records the model"},
		{"a run of another instrumentation", removing, append(run("ls"), agent("n", "", 2, 49).in(2).by("y"), shellOf("d", "n", 3, 4, "rm").in(2).by("y")), []string{"a"}, false, "a call has one command"},
		{"the run of another instrumentation", removing, append(run("ls"), agent("n", "", 2, 49).in(2).by("y"), shellOf("d", "n", 3, 4, "ls").in(2).by("y")), []string{"a"}, true, "both record one run"},
	}
}

// A call that is forbidden does not vanish from a complete verdict by what a model writes.
func TestNoModelHidesAForbiddenCall(t *testing.T) {
	for _, tc := range hiddenInOtherTraces() {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, expect(t, scoring.ExpectationSettings{Forbidden: tc.forbidden}), func(t *testing.T, r *rig) {
				time.Sleep(time.Hour)
				now := int(time.Now().Unix())
				for _, s := range tc.spans {
					s.start, s.end = s.start+now, s.end+now
					require.NoError(t, r.send(s))
				}
				r.after(10*time.Minute, len(tc.spans))
				for _, name := range tc.judged {
					got := r.verdict(name)
					passed := got["tool_correctness.passed"] == true && got["tool_correctness.complete"] == true
					if passed != tc.honest || got["tool_correctness.status"] == nil {
						t.Errorf("%s: %s: %v", name, tc.reason, got)
					}
				}
			})
		})
	}
}
