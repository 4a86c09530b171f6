package correlate

import (
	"testing"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A model may give a call the ID of a call of another run. Then both calls count, and no run that may lack one is complete.
func TestOneIDDoesNotHideAnotherCall(t *testing.T) {
	const i1, i2 = "call_abcdefgh", "call_ijklmnop"
	for _, tc := range []struct {
		name   string
		runs   []agentrun.Run
		want   []string
		reason string
	}{
		{"duplicate runs with other arguments", []agentrun.Run{
			given(`{"cmd":"ls"}`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), given(`{"cmd":"rm"}`, sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x, x (anchor!)", "b passthrough"}, "two instrumentations record one call alike"},
		{"duplicate runs with arguments in another order", []agentrun.Run{
			given(`{"a":1,"b":2}`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), given(`{"b":2, "a":1.0}`, sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x (anchor)", "b passthrough"}, "the values are equal"},
		{"a duplicate run without arguments", []agentrun.Run{
			given(`{"cmd":"ls"}`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1)),
		}, []string{"a: x (anchor)", "b passthrough"}, "its instrumentation records none"},
		{"a duplicate run without the name of the argument", []agentrun.Run{
			given(`{"city":"Oslo"}`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), bare(given(`"Oslo"`, sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1)))),
		}, []string{"a: x (anchor)", "b passthrough"}, "it is the value of the only argument"},
		{"a duplicate run with another value and no name", []agentrun.Run{
			bare(given(`"Rome"`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)))), given(`{"city":"Oslo"}`, sharingCalls(closed(2, agentrun.Agent, "b 2-8", "x "+i1))),
		}, []string{"a: x, x (anchor!)", "b passthrough"}, "the values differ"},
		{"a duplicate run with a later call", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), sharingCalls(closed(2, agentrun.Agent, "b 1-9", "x "+i1, "y "+i2, "z", "x "+i1)),
		}, []string{"a: x, y, x (anchor!)", "b passthrough"}, "the first call had ended"},
		{"a step with other arguments", []agentrun.Run{
			given(`{"cmd":"ls"}`, sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1))), asked(given(`{"cmd":"rm"}`, modelStep(2, "b 1-2", "", "x "+i1))),
		}, []string{"a: x (anchor!)", "b: x (anchor!)"}, "a request is for one call"},
		{"a step after the call", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), asked(modelStep(2, "b 5-6", "", "x "+i1)),
		}, []string{"a: x (anchor!)", "b: x (anchor!)"}, "a request is made before the call ends"},
		{"a step that ends after the call", []agentrun.Run{
			sharingCalls(closed(1, agentrun.Agent, "a 1-9", "x "+i1)), asked(modelStep(2, "b 2-6", "", "x "+i1)),
		}, []string{"a: x (anchor)", "b passthrough"}, "a stream may end later than the call that it asked for"},
		{"a step after the run of a call without a span", []agentrun.Run{
			asked(sharingCalls(closed(1, agentrun.Agent, "a 1-4", "x "+i1))), asked(modelStep(2, "b 5-6", "", "x "+i1)),
		}, []string{"a: x (anchor!)", "b: x (anchor!)"}, "both are of model calls, and of other times"},
		{"steps of two instrumentations with other arguments", []agentrun.Run{
			asked(given(`{"cmd":"ls"}`, modelStep(1, "a 1-2", "", "x "+i1))), asked(given(`{"cmd":"rm"}`, modelStep(2, "b 1-2", "", "x "+i1))),
		}, []string{"b: x, x (anchor!)", "a passthrough"}, "no instrumentation changes arguments"},
		{"steps of two instrumentations", []agentrun.Run{
			asked(given(`{"cmd":"ls"}`, modelStep(1, "a 1-2", "", "x "+i1))), asked(given(`{"cmd":"ls"}`, modelStep(2, "b 1-2", "", "x "+i1))),
		}, []string{"b: x (anchor)", "a passthrough"}, "they record one model call"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			checkCorrelation(t, agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}, tc.runs, tc.want, tc.reason)
		})
	}
}
