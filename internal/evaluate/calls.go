package evaluate

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// leaveOut removes the calls that do not count. Whether a call failed, and its name, are final only when the run has closed.
func (e *Evaluator) leaveOut(run *runs.Run) {
	if e.set.IgnoreFailed || len(e.set.Exclude) > 0 {
		run.Calls = slices.DeleteFunc(run.Calls, e.leavesOut)
	}
	if len(e.set.Exclude) > 0 {
		run.Rejected = slices.DeleteFunc(run.Rejected, e.isExcluded)
	}
}

// leavesOut reports whether the configuration says that a call does not count.
func (e *Evaluator) leavesOut(c runs.Call) bool {
	return e.set.IgnoreFailed && c.Status == scoring.StatusFailed || e.isExcluded(c)
}

func (e *Evaluator) isExcluded(c runs.Call) bool {
	return slices.ContainsFunc(e.set.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, c.Name) })
}

// callsOf copies the calls of a run into the memory of v. The list is never nil: some methods fail without a list, and a run
// without calls has an empty one.
func (v *Evaluation) callsOf(calls []runs.Call) []scoring.Call {
	if v.calls == nil {
		v.calls = make([]scoring.Call, 0, len(calls))
	}
	v.calls, v.results = v.calls[:0], v.results[:0]
	for i := range calls {
		v.calls = append(v.calls, calls[i].Call)
		v.calls[i].Unnamed = calls[i].Traits.UnnamedArgument && calls[i].Arguments.IsObject()
	}
	runs.SetTimes(v.calls, calls)
	return v.calls
}
