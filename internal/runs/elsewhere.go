package runs

import (
	"cmp"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Records of one run may be in traces that have no ID in common. Only the process, the time and the names of tools then show that they
// are of the same calls. So call IDs must not contradict where both have some, and else arguments are known of one at most.

// A Summary is what is remembered of a closed run of an agent, to recognize its model calls in other traces.
type Summary struct {
	Span    evidence.Span
	calls   []summaryCall
	matched atomic.Bool // its model calls have been found
}

type summaryCall struct {
	name      string // folded
	id        string // if only one call can have it
	arguments bool   // they are known
	start     pcommon.Timestamp
}

// maxSummaryCalls is how many calls a run may have that is remembered.
const maxSummaryCalls = 256

// SummaryOf returns the summary of a run, or nil if its model calls cannot be recognized by it.
func SummaryOf(r *Run) *Summary {
	if !r.HasAgentSpan() || len(r.Calls) == 0 || len(r.Calls) > maxSummaryCalls {
		return nil
	}
	s := &Summary{Span: r.time}
	for i := range r.Calls {
		s.calls = append(s.calls, summaryOf(&r.Calls[i]))
	}
	return s
}

func summaryOf(c *Call) summaryCall {
	of := summaryCall{name: toolname.Folded(c.Name), arguments: c.Arguments.Captured(), start: c.Start}
	if unique(c.CallID) {
		of.id = c.CallID
	}
	return of
}

// Size is how many bytes s keeps alive.
func (s *Summary) Size() int {
	size := 120
	for i := range s.calls {
		size += 48 + len(s.calls[i].name) + len(s.calls[i].id)
	}
	return size
}

// mayHave are the runs of agents that may have the calls of steps of a process: those that close now, and those of the process that closed
// before.
func (j *joint) mayHave(p evidence.Process) []*Summary {
	if j.own == nil {
		j.own = []*Summary{}
		for i := range j.Runs {
			if s := SummaryOf(&j.Runs[i]); s != nil {
				j.own = append(j.own, s)
			}
		}
	}
	if j.x.Elsewhere == nil {
		return j.own
	}
	return append(slices.Clip(j.own), j.x.Elsewhere(p)...)
}

// isOfAgent reports whether a run of an agent has the calls of r, which has joined the steps. The steps are in the same process and within
// the run's time. They must have asked for the same tools in the same order, each before the agent called it. If several runs match,
// the one closest around the steps counts. If other steps had the only one that matches, r is in doubt.
func (j *joint) isOfAgent(r *Run, steps []Run) bool {
	if !r.step {
		return false
	}
	found := false
	var closest *Summary
	for _, s := range j.mayHave(r.time.Process) {
		if s.Span.Process != r.time.Process || !s.isAround(steps) || !s.isRequestedBy(r.Calls) {
			continue
		}
		found = true
		if !s.matched.Load() && (closest == nil || isNarrower(&s.Span, &closest.Span)) {
			closest = s
		}
	}
	if closest != nil && !closest.matched.Swap(true) { // else another examination found them just now
		return true
	}
	r.Doubts |= doubtIf(found, OwnerUnknown)
	return false
}

// isRequestedBy reports whether calls of models may be those of the run. If two have IDs, these decide. Otherwise the arguments
// of one of the two must not be known.
func (s *Summary) isRequestedBy(calls []Call) bool {
	return slices.EqualFunc(s.calls, calls, func(made summaryCall, c Call) bool {
		asked := summaryOf(&c)
		agree := !asked.arguments || !made.arguments
		if asked.id != "" && made.id != "" {
			agree = asked.id == made.id
		}
		return agree && asked.name == made.name && asked.start <= made.start+evidence.ClockSlack
	})
}

// isAround reports whether all steps are within the run's time.
func (s *Summary) isAround(steps []Run) bool {
	return !contains(steps, func(r *Run) bool {
		return r.time.Start+evidence.ClockSlack < s.Span.Start || r.time.End > s.Span.End+evidence.ClockSlack
	})
}

// fillFromProtocol completes calls by MCP spans of other traces. A client of the Model Context Protocol often has a trace of its own,
// and its spans have errors that the agent's spans lack. A span fits a call of its process and its name within the call's time, if the
// arguments agree as far as they are known. If a span fits several calls, or a call several spans, it is not known which call failed.
func fillFromProtocol(all []Run, spans func(evidence.Process, string) []evidence.Fact) {
	if spans == nil {
		return
	}
	var eq equality
	known := make(map[protocolKey][]*protocolSpan) // those that were asked for
	fits := make(map[*Call][]*protocolSpan)
	for i := range all {
		for _, c := range each(all[i].Calls) {
			key := protocolKey{all[i].time.Process, c.Name}
			candidates, again := known[key]
			if !again {
				for _, f := range spans(key.process, key.tool) {
					p := new(protocolSpan)
					p.read(&f, none)
					candidates = append(candidates, p)
				}
				known[key] = candidates
			}
			for _, o := range candidates {
				if o.Trace == c.Trace || o.Start+evidence.ClockSlack < c.Start || o.End > c.End+evidence.ClockSlack || !eq.sameArguments(c, &o.Call) {
					continue
				}
				if len(fits[c]) == maxCandidates {
					c.unsure = true // the call is not compared with the others
					break
				}
				o.of = cmp.Or(o.of, c)
				o.unsure = o.unsure || !isSameRecord(o.of, c)
				fits[c] = append(fits[c], o)
			}
		}
	}
	for c, found := range fits {
		c.fillFrom(found)
	}
}

type protocolKey struct {
	process evidence.Process
	tool    string
}

// A protocolSpan is unsure if it fits several calls. Records of one call count once.
type protocolSpan struct {
	Call
	of *Call // the first call that it fits
}

// isSameRecord reports whether two calls of runs are one: it counts for two runs, or two spans record it.
func isSameRecord(a, b *Call) bool {
	return a.CallID == b.CallID && (unique(a.CallID) || a.Trace == b.Trace && a.ID == b.ID && a.Rank == b.Rank)
}

// fillFrom completes a call from the protocol's spans that fit it.
func (c *Call) fillFrom(fits []*protocolSpan) {
	for _, o := range fits {
		failed := o.Status == scoring.StatusFailed && c.Status != scoring.StatusFailed
		output := c.Arguments.Captured() && o.Arguments.Captured() && o.Output.Captured() && !c.Output.Captured()
		if o.unsure || len(fits) > 1 {
			c.unsure = c.unsure || failed || output
			continue
		}
		if output {
			c.Output = o.Output
		}
		if failed || c.Status == scoring.StatusUnset {
			c.Status = o.Status // the protocol knows best how the call ended
		}
	}
}

// A tool's span that has lost its parent is the root of a trace of its own. If it has the call ID of a model's request in another trace
// of the log, where no span has the call, it is examined as a span below that response.

// A requester is a response that asked for a call.
type requester struct {
	trace int
	evidence.Span
}

// adopt moves orphans to the traces whose models asked for their calls: of several to the last.
func adopt(log *evidence.Log) (moved []evidence.Span) {
	if len(log.Traces) < 2 {
		return nil
	}
	asked := requesters(log)
	for _, t := range each(log.Traces) {
		of := make(map[pcommon.SpanID]requester) // by the orphans that move
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if f.Call == nil || !f.Parent.IsEmpty() || f.ID.IsEmpty() || f.Kind != evidence.None {
				return false
			}
			by, known := asked[keyOf(f.Call.ID, f.Call.Name)]
			if !known || by.Start > f.Start+evidence.ClockSlack {
				return false
			}
			to := &log.Traces[by.trace]
			moved = append(moved, f.Span)
			f.Parent, of[f.ID] = by.ID, by
			to.Facts = append(to.Facts, f)
			return true
		})
		t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool {
			by, known := of[h.ID]
			if !known {
				return false
			}
			h.Parent, h.Kind = by.ID, evidence.Tool
			log.Traces[by.trace].Held = append(log.Traces[by.trace].Held, h)
			return true
		})
	}
	return moved
}

// requesters returns the responses that asked for calls which no span of their trace has, the last one of each call.
func requesters(log *evidence.Log) map[callKey]requester {
	asked := make(map[callKey]requester)
	for i := range log.Traces {
		called := make(map[string]bool)
		for _, f := range each(log.Traces[i].Facts) {
			if f.Call != nil {
				called[f.Call.ID] = true
			}
		}
		for _, f := range each(log.Traces[i].Facts) {
			if f.Response == nil || f.Response.Shares != nil || f.ID.IsEmpty() {
				continue
			}
			for _, q := range f.Response.Requests {
				if !unique(q.ID) || called[q.ID] {
					continue
				}
				key := keyOf(q.ID, q.Name)
				if known, again := asked[key]; !again || evidence.CompareSpans(&known.Span, &f.Span) < 0 {
					asked[key] = requester{i, f.Span}
				}
			}
		}
	}
	return asked
}

// giveBack moves orphans back that wait for their runs. The traces of the others remember that they were judged.
func giveBack(moved []evidence.Span, log *evidence.Log, x *Examination) {
	if len(moved) == 0 {
		return
	}
	waiting, home := make(map[evidence.Span]bool), make(map[pcommon.TraceID]*evidence.Trace)
	for _, t := range each(log.Traces) {
		home[t.Key.Trace] = t
	}
	for _, t := range each(log.Traces) {
		t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool {
			if h.Trace == t.Key.Trace {
				return false
			}
			h.Parent, h.Kind = pcommon.SpanID{}, evidence.Root
			from := home[h.Trace]
			from.Held = append(from.Held, h)
			return true
		})
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if f.Trace == t.Key.Trace || f.Closed { // a run that closed stays where it was, whatever calls it had
				return false
			}
			f.Parent = pcommon.SpanID{}
			from := home[f.Trace]
			from.Facts, waiting[f.Span] = append(from.Facts, f), true
			return true
		})
	}
	for _, span := range moved {
		if t := home[span.Trace]; !waiting[span] {
			t.Facts = append(t.Facts, evidence.Fact{Span: span, Kind: evidence.Root, Closed: true, ClosedBy: x.By, ClosedAt: x.Now.UnixNano()})
		}
	}
}
