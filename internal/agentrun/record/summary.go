package record

import (
	"encoding/binary"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Summary is a closed run without its contents. Model calls of the same calls are recognized by it.
type Summary struct {
	Process agentrun.Process
	Span    agentrun.Span
	Calls   []CallSummary
}

// CallSummary is the folded name and the start of a call.
type CallSummary struct {
	Name  string
	Start pcommon.Timestamp
}

// MaxSummaryCalls is how many calls a run may have that is summarized.
const MaxSummaryCalls = 64

// Evidence returns the bytes for [DecodeSummary].
func (o *Summary) Evidence() []byte {
	var e Evidence
	e.data = append(e.data, o.Span.Trace[:]...)
	e.data = binary.LittleEndian.AppendUint64(e.data, uint64(o.Process))
	e.span(o.Span)
	e.count(len(o.Calls))
	for _, c := range o.Calls {
		e.text(c.Name)
		e.time(c.Start)
	}
	return e.data
}

// DecodeSummary reads the evidence of a [Summary]. Its error is an [ErrEvidence].
func DecodeSummary(evidence []byte) (Summary, error) {
	id, err := TraceOf(evidence)
	if err != nil {
		return Summary{}, err
	}
	r := reader{data: evidence[len(id):]}
	o := Summary{Process: agentrun.Process(r.time()), Span: r.span(id)}
	o.Span.Process = o.Process
	for n := r.count(); n > 0 && !r.bad && len(o.Calls) <= MaxSummaryCalls; n-- {
		o.Calls = append(o.Calls, CallSummary{Name: r.text(), Start: r.time()})
	}
	if r.bad || len(r.data) > 0 {
		return Summary{}, fmt.Errorf("%w: no summary of a run", ErrEvidence)
	}
	return o, nil
}
