package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// leaveOut removes the calls that do not count. Whether a call failed, and its name, are final only when the run has closed.
func (e *Evaluator) leaveOut(run *runs.Run) {
	if e.set.IgnoreFailed {
		run.Calls = slices.DeleteFunc(run.Calls, func(c runs.Call) bool { return c.Status == scoring.StatusFailed })
	}
	if len(e.set.Exclude) > 0 {
		excluded := func(c runs.Call) bool {
			return slices.ContainsFunc(e.set.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, c.Name) })
		}
		run.Calls, run.Rejected = slices.DeleteFunc(run.Calls, excluded), slices.DeleteFunc(run.Rejected, excluded)
	}
}

// readCalls copies the calls of the run into the memory of v. The list is never nil: some methods fail without a list, and a run
// without calls has an empty one.
func (v *Evaluation) readCalls() {
	calls := v.Report.Run.Calls
	if v.calls == nil {
		v.calls = make([]scoring.Call, 0, len(calls))
	}
	v.calls = v.calls[:0]
	for i := range calls {
		v.calls = append(v.calls, calls[i].Call)
		v.calls[i].Unnamed = calls[i].Traits.UnnamedArgument && calls[i].Arguments.IsObject()
	}
	runs.SetTimes(v.calls, calls)
}

// judgeRejected makes the score 0 if a model asked for a forbidden call, though nothing executed it, and for any such call if the
// configuration says so.
func (e *Evaluator) judgeRejected(to *scoring.Verdict, m *Metric, x *match, v *Evaluation) {
	rejected := v.Report.Run.Rejected
	why, names := "forbidden calls were asked for and rejected: ", forbiddenNames(m, x, v)
	if len(names) == 0 && e.set.FailRejected {
		why, names = "calls were asked for and rejected: ", ShownNames(rejected)
	}
	if len(names) == 0 {
		return
	}
	to.Score, to.Passed = 0, to.Threshold <= 0
	to.Alignment.Broken = append(to.Alignment.Broken, scoring.BrokenRule{Text: why + listed(names), Call: -1})
}

// listed are the first names, and how many there are besides.
func listed(names []string) string {
	const most = 8
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, scoring.SafeName(name, maxLoggedName))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// forbiddenNames are the names of the rejected calls that the expectation forbids. A call whose arguments or condition are not known is
// none: it was not made.
func forbiddenNames(m *Metric, x *match, v *Evaluation) (names []string) {
	if len(x.expected.Forbidden()) == 0 {
		return nil
	}
	asked := conditions.Run{Context: v.where.Context, Anchor: v.where.Anchor}
	for _, c := range v.Report.Run.Rejected {
		asked.Calls = append(asked.Calls, c.Call)
	}
	judged := m.Method.Judge(x.expected.OnlyForbidden().With(&asked), asked.Calls)
	for _, i := range judged.Alignment.Forbidden {
		names = append(names, asked.Calls[i].Name)
	}
	return names
}
