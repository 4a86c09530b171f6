package correlate

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
)

// summaryCache remembers the runs of agents that closed last. So model calls of the same process in other traces are
// recognized as records of the same calls. Without content they have no call IDs; only the process, the time and the names
// can be compared.
type summaryCache struct {
	runs *fairshare.Table[*runSummary]
	// onSummary, if set, gets every run that is remembered.
	onSummary func(evidence []byte)
	work      compare.Work
}

// runSummary is the summary of a run.
type runSummary struct {
	record.Summary
	matched bool // its model calls have been found
}

type summaryEntry = fairshare.Entry[*runSummary]

// MaxSummaries is how many runs are remembered at most.
const MaxSummaries = 1024

// The sizes of summaries in bytes, without names.
const (
	summaryBytes     = 150
	callSummaryBytes = 24 // each call
)

// bytes is how many bytes o keeps alive.
func (o *runSummary) bytes() int {
	size := summaryBytes + len(o.Calls)*callSummaryBytes
	for i := range o.Calls {
		size += len(o.Calls[i].Name)
	}
	return size
}

const slack = agentrun.ClockSlack

func (s *summaryCache) remember(now pcommon.Timestamp, r *agentrun.Run) {
	calls := r.OwnCalls()
	if len(calls) == 0 || len(calls) > record.MaxSummaryCalls || r.Anchors[0].Process == 0 {
		return
	}
	o := record.Summary{Process: r.Anchors[0].Process, Span: r.Span()}
	for _, c := range calls {
		o.Calls = append(o.Calls, record.CallSummary{Name: compare.Folded(c.Name), Start: c.Start})
	}
	if s.onSummary != nil {
		s.onSummary(o.Evidence())
	}
	s.add(now, o)
}

// add remembers a summary, unless it is remembered already. Others are forgotten for it.
func (s *summaryCache) add(now pcommon.Timestamp, summary record.Summary) {
	o := &runSummary{Summary: summary}
	if slices.ContainsFunc(s.runs.Of(o.Process), func(k summaryEntry) bool { return k.Value.Span == o.Span && !o.Span.ID.IsEmpty() }) {
		return
	}
	s.runs.Add(now, o.Process, summaryEntry{Value: o, Bytes: o.bytes(), Start: o.Span.Start, End: o.Span.End, Tag: uint32(len(o.Calls))})
}

// of reports whether r records the calls of a remembered run: its model calls are in the same process and within the run's
// time. They must have asked for the same tools in the same order, each before the agent called it. If several runs match,
// the one closest around the model calls counts. If none matches because others may have had it forgotten, r depends on them.
func (s *summaryCache) of(r *agentrun.Run, steps []agentrun.Run) bool {
	if len(r.Anchors) == 0 || r.Anchors[0].Process == 0 {
		return false
	}
	process, calls := r.Anchors[0].Process, r.OwnCalls()
	names := make([]compare.Name, len(calls))
	var closest *runSummary
	for _, entry := range s.runs.Of(process) {
		o := entry.Value
		s.work++
		if o.matched || !o.isRequestedBy(calls, names, &s.work) || !o.around(steps) {
			continue
		}
		if closest == nil || o.Span.End-o.Span.Start < closest.Span.End-closest.Span.Start {
			closest = o
		}
	}
	if closest == nil {
		first, last := steps[0].Span(), steps[len(steps)-1].Span()
		r.DependsOnOthers = r.DependsOnOthers || s.runs.MayHaveLost(process, first.Start, last.End, uint32(len(calls)))
		return false
	}
	closest.matched = true
	return true
}

// isRequestedBy reports whether the calls are those of o. Folded names are kept for the next comparison.
func (o *runSummary) isRequestedBy(calls []agentrun.Call, names []compare.Name, w *compare.Work) bool {
	if len(o.Calls) != len(calls) {
		return false
	}
	for i, made := range o.Calls {
		*w++
		if calls[i].Start > made.Start+slack || made.Name != names[i].Folded(calls[i].Name, w) {
			return false
		}
	}
	return true
}

func (o *runSummary) around(steps []agentrun.Run) bool {
	for i := range steps {
		if s := steps[i].Span(); s.Start+slack < o.Span.Start || s.End > o.Span.End+slack {
			return false
		}
	}
	return true
}

// RestoreSummary remembers a closed run, by the evidence that Settings.OnSummary was given. Its error is a
// [record.ErrEvidence].
func (s *Correlator) RestoreSummary(now time.Time, evidence []byte) error {
	o, err := record.DecodeSummary(evidence)
	if err != nil {
		return err
	}
	s.stepped = true
	s.summaries.add(pcommon.NewTimestampFromTime(now), o)
	return nil
}
