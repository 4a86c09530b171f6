package processor

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Why a run is contested: attributes of the metric contested_runs.
var (
	contradiction    = addOptions(attribute.String("contest", "contradiction"))
	fromOtherProcess = addOptions(attribute.String("contest", "other_process"))
)

// countContested counts contested runs, and makes them incomplete. A run depends on other processes also if only they recorded
// arguments or outputs that a metric compares.
func (p *Processor) countContested(ctx context.Context, run *agentrun.Run) {
	run.DependsOnOthers = run.DependsOnOthers || slices.ContainsFunc(run.Calls, func(c agentrun.Call) bool {
		return c.FromOtherProcess.Arguments && p.rules.Arguments || c.FromOtherProcess.Output && p.rules.Output
	})
	run.Complete = run.Complete && !run.DependsOnOthers && !run.Contradicted
	if run.Contradicted {
		p.telemetry.ProcessorToolCorrectnessContestedRuns.Add(ctx, 1, contradiction...)
	}
	if run.DependsOnOthers {
		p.telemetry.ProcessorToolCorrectnessContestedRuns.Add(ctx, 1, fromOtherProcess...)
	}
}

// isIgnored reports whether a call does not count because it failed. Another process does not decide that, because a
// tool's server could hide its own calls.
func isIgnored(c agentrun.Call) bool {
	return c.Status == scoring.StatusFailed && !c.FromOtherProcess.Status
}

// leavesOut reports whether the configuration says that a call does not count.
func (p *Processor) leavesOut(c agentrun.Call) bool {
	return p.set.IgnoreFailed && isIgnored(c) ||
		slices.ContainsFunc(p.set.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, c.Name) })
}
