package agentrun

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// seat is a run that calls may belong to.
type seat struct {
	Span
	tier  Tier
	state seatState
	// closed is when a past run closed, in nanoseconds since 1970.
	closed int64
	// inner: a call stands for the agent that it ran. Its span has gone on, and the run closes with the one around it.
	inner bool
	// contested: copies of the anchor contradict each other, or a run of another process takes its calls as well.
	contested bool
	// short: calls that count for it were left out. taken is the turn in which it was last given something.
	short bool
	taken int
	// conversation is what the anchor tells, or else the first of its copies that does.
	conversation string
	// anchors are the anchor and its copies, calls and answers what belongs to it. Only where the state is ready.
	anchors []Anchor
	calls   []record
	answers []Answer
	// tools are those that the anchor's span lists, if listed: they are looked up for the first call in doubt.
	tools  map[string]bool
	listed bool
}

type seatState uint8

const (
	seatReady   seatState = iota // to be closed now
	seatWaiting                  // its calls may still come
	seatPast                     // closed; its calls are late
)

// lacks reports whether the span of an agent lists its tools, and that of a call is none of them.
func (s *seat) lacks(call *record, tools func(ptrace.Span) []string) bool {
	if s.tier != Agent || len(s.anchors) == 0 || tools == nil {
		return false
	}
	if !s.listed {
		s.listed, s.tools = true, make(map[string]bool)
		for _, name := range tools(s.anchors[0].Held) {
			s.tools[name] = true
		}
	}
	return len(s.tools) > 0 && !s.tools[call.name.Value()]
}

// seats are the runs that calls of t may belong to: its agents; failing those its workflows; failing those its
// local roots. For a whole trace it is the root alone. The ready anchors that have no seat go into h, unjudged.
func (t *trace) seats(ready []Anchor, wholeTrace bool, h *Harvest) []seat {
	all := t.candidates(bestCopies(ready, h))
	stands := t.standing(all, wholeTrace)
	seats := all[:0]
	for i, s := range all {
		if stands(i) {
			seats = append(seats, s)
		} else {
			h.Unjudged = append(h.Unjudged, s.anchors...)
		}
	}
	return seats
}

// standing says which of the candidates stand for runs.
func (t *trace) standing(all []seat, wholeTrace bool) func(i int) bool {
	best, one := Root, true
	for i := range all {
		best = min(best, all[i].tier)
		one = one && !all[i].Process.isForeign(all[0].Process)
	}
	switch {
	case wholeTrace && one:
		root := outermostRoot(all)
		return func(i int) bool { return i == root }
	case wholeTrace:
		return t.standingRoots(all)
	case one:
		return func(i int) bool { return all[i].tier == best }
	}
	return t.standIns(all, best)
}

// bestCopies removes copies of a span whose tier is lower than that of another copy. They go into h, unjudged, as they would
// not have been held if they had come later.
func bestCopies(ready []Anchor, h *Harvest) []Anchor {
	if !slices.ContainsFunc(ready, func(a Anchor) bool { return a.Tier != ready[0].Tier }) {
		return ready
	}
	best, differ := make(map[spanKey]Tier, len(ready)), false
	for i := range ready {
		tier, again := best[ready[i].key()]
		differ = differ || again && tier != ready[i].Tier
		if !again || ready[i].Tier < tier {
			best[ready[i].key()] = ready[i].Tier
		}
	}
	if !differ {
		return ready
	}
	return slices.DeleteFunc(ready, func(a Anchor) bool {
		lesser := a.Tier > best[a.key()] && !a.ID.IsEmpty()
		if lesser {
			h.Unjudged = append(h.Unjudged, a)
		}
		return lesser
	})
}

// candidates are all spans of t that may stand for a run, past ones first.
func (t *trace) candidates(ready []Anchor) []seat {
	all := make([]seat, 0, len(t.past)+len(ready)+len(t.waiting)+len(t.expected))
	for _, r := range t.past {
		if !r.ID.IsEmpty() {
			all = append(all, seat{Span: r.Span, tier: r.tier, state: seatPast, closed: r.at})
		}
	}
	var at map[spanKey]int
	if len(ready) > 1 {
		at = make(map[spanKey]int, len(ready))
	}
	copied := make(attributesOf)
	for r := range ready {
		a := &ready[r]
		if i, again := at[a.key()]; again && !a.ID.IsEmpty() {
			all[i].contested = all[i].contested || !all[i].anchors[0].agrees(a) || !copied.agree(i, &all[i].anchors[0], a)
			all[i].anchors = append(all[i].anchors, *a)
			all[i].conversation = cmp.Or(all[i].conversation, a.Conversation)
			continue
		}
		if at != nil {
			at[a.key()] = len(all)
		}
		all = append(all, seat{Span: a.Span, tier: a.Tier, anchors: ready[r : r+1 : r+1], conversation: a.Conversation})
	}
	for _, w := range t.waiting {
		all = append(all, seat{Span: w.Span, tier: w.Tier, state: seatWaiting, conversation: w.Conversation})
	}
	t.dropCopies(all)
	for _, s := range t.expected {
		all = append(all, seat{Span: s.Span, tier: s.tier, state: seatWaiting})
	}
	return all
}

// dropCopies drops what is expected of the spans that are held, or have closed.
func (t *trace) dropCopies(known []seat) {
	if len(t.expected) == 0 {
		return
	}
	copies := make(map[spanKey]bool, len(t.expected))
	for i := range t.expected {
		copies[t.expected[i].key()] = false
	}
	for i := range known {
		for _, key := range [...]spanKey{known[i].key(), {0, known[i].ID}} {
			if _, expected := copies[key]; expected {
				copies[key] = true
			}
		}
	}
	t.expected = slices.DeleteFunc(t.expected, func(s sight) bool { return copies[s.key()] })
}

// inner adds the seats of agents that only their steps tell of, in the process of the call that runs them. They wait until
// it is known what is around them.
func (t *trace) inner(seats []seat, wholeTrace bool) []seat {
	if len(t.steps) == 0 || wholeTrace {
		return seats
	}
	seated := make(map[spanKey]bool, len(seats))
	for i := range seats {
		seated[seats[i].key()] = true
	}
	for i := range t.calls {
		if c := &t.calls[i]; t.steps.has(c.key()) && !seated[c.key()] && !c.doubts.Outcome {
			seated[c.key()] = true
			seats = append(seats, seat{Span: c.span(), tier: Agent, state: seatWaiting, inner: true})
		}
	}
	outer := slices.IndexFunc(seats, func(s seat) bool { return s.inner })
	if outer >= 0 {
		slices.SortFunc(seats[outer:], func(a, b seat) int { return compareSpans(a.Span, b.Span) })
	}
	return seats
}

// outermostRoot is the seat that stands for a whole trace: one that has closed, else a span without a parent, else
// the local root that began first. It is -1 where there is none.
func outermostRoot(all []seat) int {
	best := -1
	for i := range all {
		if best < 0 || rootBefore(&all[i], &all[best]) {
			best = i
		}
	}
	return best
}

func rootBefore(a, b *seat) bool {
	if past := a.state == seatPast; past != (b.state == seatPast) {
		return past
	}
	if orphan := a.Parent.IsEmpty(); orphan != b.Parent.IsEmpty() {
		return orphan
	}
	return compareSpans(a.Span, b.Span) < 0
}

// byTime is the innermost seat whose time contains the call; else the seat that began first among those that had
// not ended when the call began, and have not closed; else none, which is -1. A closed run has no calls but those in its
// time, because one that began before it is rather of a run whose span has not come.
func byTime(seats []seat, call Span) int {
	inner, outer := -1, -1
	for i := range seats {
		s := &seats[i]
		if s.contains(call) && (inner < 0 || narrower(s.Span, seats[inner].Span)) {
			inner = i
		}
		if call.Start <= s.End && s.state != seatPast && (outer < 0 || compareStart(s.Span, seats[outer].Span) < 0) {
			outer = i
		}
	}
	if inner >= 0 {
		return inner
	}
	return outer
}

// narrower reports whether a is nested deeper than b, both containing one call.
func narrower(a, b Span) bool {
	if da, db := a.End-a.Start, b.End-b.Start; da != db {
		return da < db
	}
	return compareStart(a, b) > 0
}
