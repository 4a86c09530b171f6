package runs

import (
	"iter"
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// fate is what becomes of a fact: see [tree.setFate] and [tree.rest].
type fate uint8

const (
	stays  fate = iota // it may belong to a run that closes later
	judged             // it stays for runs around its own, and counted for a run that has closed
	leaves             // it is part of a closed run, or of none; of its span a link is left
)

// setFate sets the fate of a fact with a call or a response, whose run is owner. counted: it counts for a run that closes now. If its
// owner has closed, and it counted for no run, it is late.
func (t *tree) setFate(fact, owner int32, counted bool) {
	f := &t.facts[fact]
	counted = counted || f.Judged
	switch waits := t.waits(owner); {
	case waits && counted:
		t.fates[fact] = judged
	case !waits:
		t.fates[fact] = leaves
		if !counted {
			ago := time.Duration(t.x.Now.UnixNano() - t.runs[owner].ClosedAt)
			t.closed.Late = append(t.closed.Late, slices.Repeat([]time.Duration{ago}, t.o.CallsOf(f))...)
		}
	}
}

// around is the nearest run around a run, or none.
func (t *tree) around(i int32) int32 {
	if found := t.above(t.find(t.runs[i].Parent)).run; found != i {
		return found
	}
	return none
}

// outward yields the runs around a run, from the inside out. A cycle of parents ends.
func (t *tree) outward(i int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for range t.runs {
			if i = t.around(i); i == none || !yield(i) {
				return
			}
		}
	}
}

// outermost is the last run around run i, or i itself.
func (t *tree) outermost(i int32) int32 {
	for up := range t.outward(i) {
		i = up
	}
	return i
}

// lacksParents reports whether parents are missing above a run.
func (t *tree) lacksParents(i int32) bool {
	return t.above(t.find(t.runs[t.outermost(i)].Parent)).broken
}

// owner returns the run that a span belongs to, or none: the nearest run at or above a node, and if the chain of parents leads to
// none, the run at its time. If parents are missing above both the span and that run, and may still arrive, the span has no owner
// yet.
func (t *tree) owner(f *evidence.Fact, from int32) int32 {
	if t.o.WholeTrace {
		return int32(min(len(t.runs), 1)) - 1
	}
	above := t.above(from)
	switch r := above.run; {
	case r != none && t.runs[r].Kind == evidence.Agent:
		return t.named(f, r)
	case r != none:
		return t.named(f, t.outermost(r)) // of several stand-ins
	}
	r := t.byTime(&f.Span)
	if r == none || !above.broken {
		return r
	}
	if t.x.mayStillArrive() && t.lacksParents(r) {
		return none
	}
	for i, other := range each(t.runs) { // any run that contains the span may have it
		if int32(i) != r && other.Contains(&f.Span) {
			other.doubts |= OwnerUnknown
			t.runs[r].doubts |= OwnerUnknown
		}
	}
	return r
}

// maxNamesakes bounds how many runs of one agent are compared with a span that names it.
const maxNamesakes = 64

// named returns the run of the agent that a span names, if only one is inside of run r. The context of a sub-agent may get lost, and its
// later spans are then below the agent around it. What contains the sub-agent's run is the call that ran it, or its caller's. If several
// runs are inside, the one at the span's time has it, and they are in doubt if there is none. If the agent has too many
// runs, r keeps the span, and is in doubt.
func (t *tree) named(f *evidence.Fact, r int32) int32 {
	if f.Agent == "" || toolname.Same(f.Agent, t.runs[r].Agent) {
		return r
	}
	all := t.runsOf(f.Agent)
	if len(all) > maxNamesakes {
		t.runs[r].doubts |= OwnerUnknown
		return r
	}
	var inside, at []int32
	for _, i := range all {
		if in := &t.runs[i]; !f.Contains(&in.Span) && t.isInside(i, r) {
			if inside = append(inside, i); in.Start <= f.Start && f.Start <= in.End {
				at = append(at, i)
			}
		}
	}
	switch {
	case len(inside) == 1:
		return inside[0]
	case len(at) == 1:
		return at[0]
	}
	for _, i := range inside {
		t.runs[i].doubts |= OwnerUnknown
		t.runs[r].doubts |= OwnerUnknown
	}
	return r
}

// runsOf returns the runs of an agent.
func (t *tree) runsOf(agent string) []int32 {
	if t.ofAgent == nil {
		t.ofAgent = make(map[uint64][]int32)
		for i := range t.runs {
			key := toolname.Key(t.runs[i].Agent)
			t.ofAgent[key] = append(t.ofAgent[key], int32(i))
		}
	}
	return t.ofAgent[toolname.Key(agent)]
}

// isInside reports whether run i is inside of run r, at no great depth.
func (t *tree) isInside(i, r int32) bool {
	depth := 0
	for up := range t.outward(i) {
		if depth++; up == r || depth == maxCandidates {
			return up == r
		}
	}
	return false
}

// byTime returns the innermost run whose time contains a span, else the first that has not closed, and had not ended when the span
// began; or none. Inferred runs are skipped: their time is that of the call that ran the agent.
func (t *tree) byTime(s *evidence.Span) int32 {
	inner, outer := none, none
	for i, r := range each(t.runs) {
		if r.inferred {
			continue
		}
		if r.Contains(s) && (inner == none || isNarrower(&r.Span, &t.runs[inner].Span)) {
			inner = int32(i)
		}
		if s.Start <= r.End && r.state != past && (outer == none || evidence.CompareStarts(&r.Span, &t.runs[outer].Span) < 0) {
			outer = int32(i)
		}
	}
	if inner != none {
		return inner
	}
	return outer
}

// isNarrower reports whether a is nested deeper than b, both containing one span.
func isNarrower(a, b *evidence.Span) bool {
	if x, y := a.End-a.Start, b.End-b.Start; x != y {
		return x < y
	}
	return evidence.CompareStarts(a, b) > 0
}

// receivers are the runs that close now for which a call of run i counts: the run itself, and with [Options.Include] those around
// it. A call is copied maxCopies times at most: runs that are further out are cut.
func (t *tree) receivers(i int32) []int32 {
	const maxCopies = 8
	t.to = t.to[:0] // valid until the next call
	if t.runs[i].state == ready {
		t.to = append(t.to, i)
	}
	if !t.o.Include {
		return t.to
	}
	for i := range t.outward(i) {
		if slices.Contains(t.to, i) {
			break
		}
		if r := &t.runs[i]; r.state == ready {
			if len(t.to) == maxCopies {
				r.cut = true
				continue
			}
			t.to = append(t.to, i)
		}
	}
	return t.to
}

// waits reports whether what belongs to run i may count for a run that closes later.
func (t *tree) waits(i int32) bool {
	if t.runs[i].state == waiting {
		return true
	}
	if !t.o.Include || t.o.WholeTrace {
		return false
	}
	for up := range t.outward(i) {
		if t.runs[up].state == waiting {
			return true
		}
	}
	return t.x.mayStillArrive() && t.lacksParents(i)
}

// give gives the calls and responses of the trace to the runs that close now. The others stay.
func (t *tree) give() {
	t.fates = slices.Grow(t.fates[:0], len(t.facts))[:len(t.facts)]
	clear(t.fates)
	if len(t.runs) == 1 {
		t.responses = slices.Grow(t.responses[:0], len(t.facts))
		t.runs[0].calls, t.runs[0].responses = make([]Call, 0, len(t.calls)), t.responses
	}
	for i := range t.calls {
		t.giveCall(&t.calls[i])
	}
	var shared []int32 // last, because the spans of the models themselves say more
	for i := range t.facts {
		switch r := t.facts[i].Response; {
		case r == nil:
		case r.Shares != nil:
			shared = append(shared, int32(i))
		default:
			t.giveResponse(int32(i))
		}
	}
	switch {
	case t.o.WholeTrace:
		for _, i := range shared {
			t.giveResponse(i)
		}
	case shared != nil:
		t.giveShares(shared)
	}
	var nameless []int32
	for i, into := range t.into {
		switch f := &t.facts[i]; {
		case into != int32(i):
			t.fates[i] = t.fates[into] // a record of a call stays with it
		case isOfNone(f.Call):
			t.fates[i] = leaves
			nameless = append(nameless, int32(i))
		}
	}
	if nameless != nil {
		t.giveNameless(nameless)
	}
}

// giveNameless sees to spans of calls that do not name the tool. They prove the calls that a model asked for; the runs of others are in
// doubt.
func (t *tree) giveNameless(facts []int32) {
	requested := make(map[string]bool)
	for i := range t.facts {
		if r := t.facts[i].Response; r != nil {
			for k := range r.Requests {
				requested[r.Requests[k].ID] = true
			}
		}
	}
	for _, i := range facts {
		f := &t.facts[i]
		if unique(f.Call.ID) && requested[f.Call.ID] {
			t.told.say(made, f.Call.ID)
		} else if owner := t.owner(f, t.up(i)); owner != none {
			t.runs[owner].doubts |= ContentUnreadable
		}
	}
}

// giveCall gives a call to its owner.
func (t *tree) giveCall(c *Call) {
	f := &t.facts[c.fact]
	owner := t.owner(f, t.up(c.fact))
	if owner == none {
		return
	}
	if c.Traits.NotMade || c.Traits.UnknownTool && (t.told[c.CallID].said&notOffered != 0 || t.lacksTool(&t.runs[owner], c.Name)) {
		t.fates[c.fact] = leaves // nothing was executed
		t.told.say(notMade, c.CallID)
		t.runs[owner].rejected = append(t.runs[owner].rejected, *c)
		return
	}
	to := t.receivers(owner)
	for _, i := range to {
		r := &t.runs[i]
		if len(r.calls) >= t.o.MaxCalls {
			r.cut = true
			continue
		}
		r.calls = append(r.calls, *c)
		if i != owner {
			r.calls[len(r.calls)-1].Source = Shared
		}
	}
	t.setFate(c.fact, owner, len(to) > 0)
}

// lacksTool reports whether the span of an agent lists its tools, and this is none of them.
func (t *tree) lacksTool(r *run, name string) bool {
	if r.Kind != evidence.Agent || len(r.held) == 0 {
		return false
	}
	if r.tools == nil {
		r.tools = append([]string{}, dialect.Tools(t.in.Held[r.held[0]].Data)...)
	}
	return len(r.tools) > 0 && !slices.ContainsFunc(r.tools, func(tool string) bool {
		return toolname.Same(tool, name) || isPrefixed(tool, name) || isPrefixed(name, tool)
	})
}

// giveResponse gives a response to the owner of its span.
func (t *tree) giveResponse(i int32) {
	f := &t.facts[i]
	owner := t.owner(f, t.of[i])
	if owner == none {
		return
	}
	// A model call that was offered tools makes a run of a span above it. Time alone does not prove whose model call it is.
	if f.Response.Offered && !t.o.WholeTrace && t.up(i) != none && t.above(t.of[i]).run == none {
		r, c := *f.Response, *f
		r.Offered, c.Response, f = false, &r, &c
	}
	to := t.receivers(owner)
	for _, k := range to {
		t.runs[k].responses = append(t.runs[k].responses, f)
	}
	t.setFate(i, owner, len(to) > 0)
}
