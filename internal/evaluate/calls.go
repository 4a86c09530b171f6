package evaluate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/calltimes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// leaveOut removes the calls that do not count. Whether a call failed, and its name, are final only when the run has closed.
func (e *Evaluator) leaveOut(run *agentrun.Run) {
	if e.set.IgnoreFailed || len(e.set.Exclude) > 0 {
		run.Calls = slices.DeleteFunc(run.Calls, e.leavesOut)
	}
}

// leavesOut reports whether the configuration says that a call does not count.
func (e *Evaluator) leavesOut(c agentrun.Call) bool {
	return e.set.IgnoreFailed && isIgnored(c) ||
		slices.ContainsFunc(e.set.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, c.Name) })
}

// isIgnored reports whether a call does not count because it failed. Another process does not decide that, because a
// tool's server could hide its own calls.
func isIgnored(c agentrun.Call) bool {
	return c.Status == scoring.StatusFailed && !c.FromOtherProcess.Status
}

// contest makes a contested run incomplete. A run depends on other processes also if only they recorded arguments or outputs that
// a metric compares. It depends on them too if they made the processor forget what may decide.
func (e *Evaluator) contest(run *agentrun.Run) {
	for i := range run.Calls {
		others := &run.Calls[i].FromOtherProcess
		run.DependsOnOthers = run.DependsOnOthers || others.Arguments && e.rules.Arguments || others.Output && e.rules.Output ||
			others.Forgotten && e.asksForEnds(&run.Calls[i])
	}
	run.Complete = run.Complete && !run.DependsOnOthers && !run.Contradicted
}

// asksForEnds reports whether a verdict may depend on how a call ended, and more may have been known about it.
func (e *Evaluator) asksForEnds(c *agentrun.Call) bool {
	return c.Status != scoring.StatusFailed && (e.set.IgnoreFailed || e.rules.statuses) || e.rules.Output && !c.Output.Captured()
}

// callsOf copies the calls of a run into the memory of v. The list is never nil: some methods fail without a list, and a run
// without calls has an empty one.
func (v *Evaluation) callsOf(calls []agentrun.Call) []scoring.Call {
	if v.calls == nil {
		v.calls = make([]scoring.Call, 0, len(calls))
	}
	v.calls, v.results = v.calls[:0], v.results[:0]
	for i := range calls {
		v.calls = append(v.calls, calls[i].Call)
		v.calls[i].Unnamed = calls[i].Traits.UnnamedArgument && calls[i].Arguments.IsObject()
		if calls[i].FromOtherProcess.Status { // conditions on calls ask for it
			v.calls[i].Status = scoring.StatusUnset
		}
	}
	calltimes.Set(v.calls, calls)
	return v.calls
}
