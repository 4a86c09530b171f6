package mcpspans

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// FillIn completes calls of runs that their own process recorded. Each is completed by the only MCP span of the same process,
// name and arguments within the call's time. If several spans match, or one matches several calls, its failure and its output
// are used for none of them, and the calls say so. If the arguments of one are unknown, only the status is used. If others made
// the processor forget a span that may be a call's, the call says so.
func (m *Table) FillIn(runs []agentrun.Run) {
	for i := range runs {
		m.match(&runs[i])
	}
	fitting := m.fitting
	for _, found := range m.matches {
		fillIn(found.call, fitting[:found.fit])
		fitting = fitting[found.fit:]
	}
	const long = 1 << 10
	if clear(m.matches); cap(m.matches) > long {
		m.matches = nil
	}
	if clear(m.fitting); cap(m.fitting) > long {
		m.fitting = nil
	}
	m.matches, m.fitting = m.matches[:0], m.fitting[:0]
}

// match finds the MCP spans that fit the calls of a run.
func (m *Table) match(r *agentrun.Run) {
	if len(r.Anchors) == 0 || r.Anchors[0].Process == 0 {
		return
	}
	process := r.Anchors[0].Process
	lost := m.all.HasLost(process)
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.MCP || c.Process.DiffersFrom(process) {
			continue
		}
		if lost && m.all.MayHaveLost(process, c.Start-min(slack, c.Start), c.End+slack, compare.NameHash(c.Name)) {
			c.FromOtherProcess.Forgotten = true
		}
		if len(m.alike[toolKey{process, c.Name}]) == 0 {
			continue
		}
		if fit := m.find(process, c); fit > 0 {
			m.matches = append(m.matches, matched{c, fit})
		}
	}
}

// find appends the MCP spans that a call can have to m.fitting, and returns how many they are. Each notes which call it fits.
func (m *Table) find(process agentrun.Process, c *agentrun.Call) (fit int) {
	calls := m.alike[toolKey{process, c.Name}]
	first, _ := slices.BinarySearchFunc(calls, c.Start, func(o *remembered, start pcommon.Timestamp) int {
		return cmp.Compare(o.Start+slack, start)
	})
	by := userOf(c)
	var arguments compare.Payload
	for at, o := range calls[first:] {
		m.work++
		if o.Start > c.End+slack {
			break
		}
		if at == maxAlike {
			c.FromOtherProcess.Forgotten = true // the call is not compared with the others
			break
		}
		if o.Trace == c.Trace || o.End > c.End+slack {
			continue
		}
		if c.Arguments.Captured() && o.Arguments.Captured() &&
			!compare.EqualPayloads(c.Arguments, o.Arguments, &arguments, &o.arguments, &m.work) {
			continue
		}
		if o.of == (user{}) {
			o.of = by
		}
		o.shared = o.shared || !o.of.is(by)
		m.fitting = append(m.fitting, o)
		fit++
	}
	return fit
}

// fillIn completes a call from the MCP spans that fit it. They are of the call's own process, so a status from another process
// does not count beside theirs.
func fillIn(c *agentrun.Call, fitting []*remembered) {
	status := c.Status
	if c.FromOtherProcess.Status {
		status = scoring.StatusUnset
	}
	for _, o := range fitting {
		// the arguments are equal if both are known, so the output is this call's as well
		output := c.Arguments.Captured() && o.Arguments.Captured() && o.Output.Captured() && !c.Output.Captured()
		failed := o.Status == scoring.StatusFailed && status != scoring.StatusFailed
		if o.differs || (len(fitting) > 1 || o.shared) && (failed || output) {
			c.FromOtherProcess.Forgotten = true
			return
		}
	}
	if len(fitting) > 1 {
		return
	}
	o := fitting[0]
	if c.Arguments.Captured() && o.Arguments.Captured() {
		c.Output = c.Output.Or(o.Output)
	}
	if o.Status == scoring.StatusFailed || o.Status != scoring.StatusUnset && status == scoring.StatusUnset {
		c.Status, c.FromOtherProcess.Status = o.Status, false // the protocol knows best how the call ended
	}
}
