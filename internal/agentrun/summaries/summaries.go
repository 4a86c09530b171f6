package summaries

import (
	"hash/maphash"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// A Cache remembers the runs of agents that closed last. It is for one goroutine at a time.
type Cache struct {
	runs *fairshare.Table[*summary]
	seed maphash.Seed
	set  Settings
	work *compare.Work
}

// Settings are those of a [Cache].
type Settings struct {
	// OnSummary gets each run that is remembered, as evidence for [Cache.Restore]. It may be nil.
	OnSummary func(evidence []byte)
	// Bytes bounds the memory of runs; 0 is no bound.
	Bytes int
	// Senders knows which processes send steps. Runs of the others are not remembered. If it is nil, all runs are.
	Senders Senders
}

// Senders are the processes that sent steps.
type Senders interface {
	// Add says that a process sent a step that arrived at that time.
	Add(now pcommon.Timestamp, p agentrun.Process)
	// Has reports whether a process sent a step.
	Has(p agentrun.Process) bool
	// MayHaveForgotten reports whether a process may have sent steps before it did at that time or later.
	MayHaveForgotten(p agentrun.Process, began pcommon.Timestamp) bool
}

// summary is the summary of a run.
type summary struct {
	record.Summary
	content
	matched  bool // its model calls have been found
	restored bool // the content is not known
}

type entry = fairshare.Entry[*summary]

// Max is how many runs are remembered at most.
const Max = 1024

// The sizes of summaries in bytes, without names.
const (
	summaryBytes     = 160
	callSummaryBytes = 24 // each call
)

// slack is how far the clocks of two instrumentations in one process may be apart.
const slack = agentrun.ClockSlack

// New returns an empty Cache. Its work is added to w.
func New(set Settings, w *compare.Work) *Cache {
	runs := fairshare.New[*summary](fairshare.Bounds{Entries: Max, Bytes: set.Bytes}, nil)
	return &Cache{runs: runs, seed: maphash.MakeSeed(), set: set, work: w}
}

// Bytes is how many bytes the remembered runs take.
func (s *Cache) Bytes() int { return s.runs.Bytes() }

// bytes is how many bytes o keeps alive.
func (o *summary) bytes() int {
	size := summaryBytes + len(o.Calls)*callSummaryBytes
	for i := range o.Calls {
		size += len(o.Calls[i].Name)
	}
	return size
}

// Remember remembers an agent's run that closed.
func (s *Cache) Remember(now pcommon.Timestamp, r *agentrun.Run) {
	process := r.Process()
	if process == 0 || s.set.Senders != nil && !s.set.Senders.Has(process) {
		return
	}
	calls := r.OwnCalls()
	if len(calls) == 0 || len(calls) > record.MaxSummaryCalls {
		return
	}
	o := record.Summary{Process: process, Span: r.Span()}
	for _, c := range calls {
		o.Calls = append(o.Calls, record.CallSummary{Name: toolname.Folded(c.Name), Start: c.Start})
	}
	if s.set.OnSummary != nil {
		s.set.OnSummary(o.Evidence())
	}
	s.add(now, &summary{Summary: o, content: s.contentOf(calls)})
}

// Restore remembers a closed run, by the evidence that OnSummary was given. Its error is a [record.ErrEvidence].
func (s *Cache) Restore(now pcommon.Timestamp, evidence []byte) error {
	o, err := record.DecodeSummary(evidence)
	if err != nil {
		return err
	}
	if s.set.Senders != nil {
		s.set.Senders.Add(now, o.Process) // else the run would not have been stored
	}
	s.add(now, &summary{Summary: o, restored: true})
	return nil
}

// add remembers a summary, unless it is remembered already. Others are forgotten for it.
func (s *Cache) add(now pcommon.Timestamp, o *summary) {
	if slices.ContainsFunc(s.runs.Of(o.Process), func(k entry) bool { return k.Value.Span == o.Span && !o.Span.ID.IsEmpty() }) {
		return
	}
	s.runs.Add(now, o.Process, entry{Value: o, Bytes: o.bytes(), Start: o.Span.Start, End: o.Span.End, Tag: uint32(len(o.Calls))})
}

// Has reports whether a remembered run has the calls of r, which has joined the steps. The steps are in the same process and within
// the run's time. They must have asked for the same tools in the same order, each before the agent called it. If both have unique
// call IDs, these must be the same. If several runs match, the one closest around the steps counts. If other steps had the only
// one that matches, r is not complete. If none matches because others may have had it forgotten, r depends on them.
func (s *Cache) Has(r *agentrun.Run, steps []agentrun.Run) bool {
	if !r.Step || r.Process() == 0 {
		return false
	}
	calls := r.OwnCalls()
	content, names := s.contentOf(calls), make([]compare.Name, len(calls))
	var closest *summary
	taken := false
	for _, known := range s.runs.Of(r.Process()) {
		o := known.Value
		*s.work++
		if !o.mayBe(content) || !o.isRequestedBy(calls, names, s.work) || !o.around(steps) {
			continue
		}
		if o.matched {
			taken = true
		} else if closest == nil || o.Span.End-o.Span.Start < closest.Span.End-closest.Span.Start {
			closest = o
		}
	}
	if closest == nil {
		first, last := steps[0].Span(), steps[len(steps)-1].Span()
		r.Complete = r.Complete && !taken
		r.DependsOnOthers = r.DependsOnOthers || s.runs.MayHaveLost(r.Process(), first.Start, last.End, uint32(len(calls))) ||
			s.set.Senders != nil && s.set.Senders.MayHaveForgotten(r.Process(), first.Start)
		return false
	}
	closest.matched = true
	if closest.restored && content.ids != 0 { // the run may have other IDs
		r.Complete = false
		return false
	}
	return true
}

// content is what the content of calls says about them.
type content struct {
	ids       uint64 // a hash of their unique IDs, 0 if one has none
	arguments bool   // a call has some
}

func (s *Cache) contentOf(calls []agentrun.Call) (of content) {
	unique := true
	for i := range calls {
		unique = unique && agentrun.IsUniqueCallID(calls[i].CallID)
		of.ids = of.ids*31 + maphash.String(s.seed, calls[i].CallID)
		of.arguments = of.arguments || calls[i].Arguments.Captured()
	}
	if !unique {
		of.ids = 0
	}
	return of
}

// mayBe reports whether the content of o and that of steps may be of the same calls. If both have IDs, these decide. Otherwise one
// of the two must have no arguments.
func (o *summary) mayBe(steps content) bool {
	if o.ids != 0 && steps.ids != 0 {
		return o.ids == steps.ids
	}
	return !o.arguments || !steps.arguments
}

// isRequestedBy reports whether the calls are those of o. Folded names are kept for the next comparison.
func (o *summary) isRequestedBy(calls []agentrun.Call, names []compare.Name, w *compare.Work) bool {
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

// around reports whether all steps are within the run's time.
func (o *summary) around(steps []agentrun.Run) bool {
	for i := range steps {
		if s := steps[i].Span(); s.Start+slack < o.Span.Start || s.End > o.Span.End+slack {
			return false
		}
	}
	return true
}
