package tracebuffer

import (
	"encoding/binary"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// What outlives a trace is stored as well: what protocols told of calls ([MCPSpans]), and the summaries of runs that cast
// shadows ([Correlator]).

// MCPEvidence is what [MCPSpans.Restore] reads.
func MCPEvidence(set *Settings, p agentrun.Process, c agentrun.Call) []byte {
	e := NewEvidence(set, c.Trace)
	c.Process, c.Scope = 0, 0 // the process stands behind it
	e.AddCall(c)
	return binary.LittleEndian.AppendUint64(e.data, uint64(p))
}

// Restore remembers what a protocol's span told, by the evidence that was stored of it.
func (m *MCPSpans) Restore(evidence []byte) error {
	const processBytes = 8
	n := len(evidence) - processBytes
	if n < 0 {
		return errEvidence
	}
	d, err := decodeEvidence(evidence[:n])
	if err != nil {
		return err
	}
	if len(d.calls) != 1 {
		return fmt.Errorf("%w: an MCP span is one call, got %d", errEvidence, len(d.calls))
	}
	m.Add(agentrun.Process(binary.LittleEndian.Uint64(evidence[n:])), d.calls[0].Call)
	return nil
}

// evidence is what RestoreOutline reads.
func (o *runSummary) evidence() []byte {
	var e Evidence
	e.data = append(e.data, o.span.Trace[:]...)
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(o.process))
	e.span(o.span)
	e.count(len(o.calls))
	for _, c := range o.calls {
		e.text(c.name)
		e.time(c.start)
	}
	return e.data
}

// RestoreSummary remembers a closed run that may cast a shadow, by the evidence that [Settings.OnSummary] was given.
func (s *Correlator) RestoreSummary(evidence []byte) error {
	id, err := TraceOf(evidence)
	if err != nil {
		return err
	}
	r := reader{data: evidence[len(id):]}
	o := runSummary{process: agentrun.Process(r.time()), span: r.span(id)}
	o.span.Process = o.process
	for n := r.count(); n > 0 && !r.bad && len(o.calls) <= maxSummaryCalls; n-- {
		o.calls = append(o.calls, callSummary{name: r.text(), start: r.time()})
	}
	if r.bad || len(r.data) > 0 {
		return fmt.Errorf("%w: no outline of a run", errEvidence)
	}
	s.stepped = true
	s.summaries.add(o)
	return nil
}

// TraceOf is the trace that evidence is of.
func TraceOf(evidence []byte) (id pcommon.TraceID, err error) {
	if copy(id[:], evidence) < len(id) {
		return id, errEvidence
	}
	return id, nil
}
