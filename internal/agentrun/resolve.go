package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// none is the index of nobody.
const none = -1

// resolver finds out which seat a call belongs to. Its maps are kept between traces to save the garbage, and filled when
// the first walk needs them: in many a run everything is right below its one agent, and nobody walks.
type resolver struct {
	trace   *trace
	seats   []seat
	calls   []record
	mapped  bool // the maps are of this trace
	parents parents
	seatAt  map[pcommon.SpanID]int
	callAt  map[pcommon.SpanID]int
	// above remembers the answer for every span that a walk has passed.
	above map[spanKey]ancestors
	path  []passed
	// open remembers, for every span that a walk has passed, whether the chain above it ends at a span that has not come.
	open map[spanKey]bool
	// climbs are the ways from seats to those around them.
	climbs
	timed
	// owners are for traces in which several processes have a part.
	owners
	// room is how many calls may still be copied into runs around their own, and turn how many were given to seats.
	room, turn   int
	taking, into []int
	// digests are of the arguments of calls, as far as they were compared.
	digests []digested
	work    work
	// tools are those that an agent's span lists.
	tools func(ptrace.Span) []string
	// patient: what has not come may come, so a call of unknown origin is not given to a run inside of others.
	patient bool
	// wholeTrace: the first seat has everything. include: a call counts for the runs around its own as well.
	wholeTrace, include bool
}

// assignment is what became of the calls of a trace.
type assignment struct {
	late       []time.Duration // of calls that belong to closed runs, and are dropped: how long after that they came
	duplicates int             // spans that told of a call again
}

// assign gives the calls and answers of t to the seats that they belong to. Those of a seat that is not ready, or of
// none, stay with t.
func (r *resolver) assign(t *trace, seats []seat) assignment {
	r.begin(t, seats)
	if len(t.calls)+len(t.answers) == 0 && len(seats) < 2 {
		return assignment{}
	}
	spans := len(t.calls)
	t.forgetRepeats()
	t.dropRepeatedAnswers(&r.work)
	ranks := t.ranks()
	for i := range t.calls {
		t.calls[i].rank = ranks[toldID{t.calls[i].process, t.calls[i].callID}]
	}
	slices.SortFunc(t.calls, compareRecords)
	t.settleRepeats(&r.work)
	calls := t.calls
	r.calls = calls
	for i := range seats {
		seats[i].state = r.stateOf(seats, i)
		r.rootWaits = r.rootWaits || r.wholeTrace && seats[i].state == seatWaiting
	}
	into := r.merge(calls)
	r.calls = nil // from here on they move, and nobody asks which call is above another
	if len(seats) == 1 {
		seats[0].calls = calls[:0] // what it takes comes to stand where it stood, or in front of that
		seats[0].answers = make([]Answer, 0, len(t.answers))
	}
	var rest []record
	var late []time.Duration
	kept := 0
	for i := range calls {
		if into[i] != none {
			continue
		}
		kept++
		call := calls[i] // what is noted of it is not for the seat that may have its place
		switch fate := r.seatCall(seats, &call); fate {
		case callStays:
			rest = append(rest, call)
		case callIsLate:
			late = append(late, r.lateness(t, seats, call.span()))
		}
	}
	t.calls = rest
	r.assignAnswers(t, seats)
	return assignment{late: late, duplicates: spans - kept}
}

// lateness is how long after its run had closed a call came, or rather the last span of its trace.
func (r *resolver) lateness(t *trace, seats []seat, call Span) time.Duration {
	return closedRun{at: seats[r.ownerOf(seats, call)].closed}.since(t.lastSeen)
}

// fate is what becomes of a call when its trace is settled.
type fate uint8

const (
	callCounts fate = iota // it has gone to its run
	callStays              // its run, or one around that, may still close
	callIsLate             // its run has closed
)

// seatCall gives a call to its seat, and with include to those around it.
func (r *resolver) seatCall(seats []seat, call *record) fate {
	at := r.ownerOf(seats, call.span())
	if at == none {
		return callStays
	}
	if call.doubts.Refused && seats[at].lacks(call, r.tools) {
		return callCounts // for nobody: nothing was executed
	}
	claim := r.claim(seats, at, call.span())
	for _, i := range claim.adds(seats, r.takers(seats, at, 1)) {
		seats[i].calls = append(seats[i].calls, *call)
		if !claim.isOwn(i, at) {
			seats[i].calls[len(seats[i].calls)-1].standing = lent
		}
		call.counted = true
	}
	switch {
	case r.waits(seats, at), claim.waits(seats):
		return callStays
	case call.counted:
		return callCounts
	}
	return callIsLate
}

// assignAnswers gives the answers of t to the seats of the spans that gave them, and with include to those around. What
// belongs to a closed run is dropped: it tells of calls that were judged.
func (r *resolver) assignAnswers(t *trace, seats []seat) {
	rest := t.answers[:0]
	t.asked = 0
	for _, a := range t.answers {
		if r.seatAnswer(seats, &a) {
			rest = append(rest, a)
			t.asked += len(a.Asked)
		}
	}
	clear(t.answers[len(rest):])
	t.answers = rest
}

// seatAnswer reports whether the answer is to stay with its trace.
func (r *resolver) seatAnswer(seats []seat, a *Answer) (stays bool) {
	at := r.ownerOf(seats, a.Span)
	if at == none {
		return true
	}
	claim := r.claim(seats, at, a.Span)
	for _, i := range claim.adds(seats, r.takers(seats, at, max(1, len(a.Asked)+len(a.Results)))) {
		a.counted = true
		seats[i].answers = append(seats[i].answers, *a)
	}
	return r.waits(seats, at) || claim.waits(seats)
}

// ownerOf is the seat that a call or an answer belongs to, or none.
func (r *resolver) ownerOf(seats []seat, s Span) int {
	if !r.wholeTrace {
		return r.owner(seats, s)
	}
	if len(seats) == 0 {
		return none
	}
	return 0
}

// release gives up what keeps a trace alive, and maps that a long one has made large.
func (r *resolver) release() {
	const long = 1 << 12
	r.trace, r.seats, r.calls = nil, nil, nil
	r.parents, r.timed, r.digests, r.owners = parents{}, timed{}, nil, owners{}
	if max(len(r.above), len(r.seatAt), len(r.callAt), len(r.open), len(r.into)) > long {
		r.seatAt, r.callAt, r.above, r.open, r.path = nil, nil, nil, nil, nil
		r.climbs, r.taking, r.into = climbs{}, nil, nil
	}
}

// begin has to be called before anybody walks.
func (r *resolver) begin(t *trace, seats []seat) {
	r.trace, r.seats, r.mapped = t, seats, false
	r.climbs.begin(&r.work)
	r.turn, r.timed, r.owners = 0, timed{}, owners{several: areSeveral(t, seats)}
}
