package agentrun

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Answer writes down what a model call tells of tool calls. If that is about a run that has closed, it is late: it is not
// written down, and late is by how much.
func (b *Buffer) Answer(now time.Time, a Answer) (late time.Duration, isLate bool) {
	t, late, isLate := b.traceFor(now, a.Span)
	if isLate {
		return late, true
	}
	b.touch(t, now)
	b.link(t, a.Span)
	b.listen(t, a)
	return 0, false
}

// listen writes down an answer of t.
func (b *Buffer) listen(t *trace, a Answer) {
	if b.set.Sources == Messages || b.set.Sources == Auto && a.Sole {
		t.called = true
		b.resize(t, t.presences.add(a.Process, hasCalls))
	}
	b.resize(t, t.addAnswer(b.digest(a), b.set.MaxCalls, &b.resolver.work))
}

// digest is of an answer what somebody will read. Its payloads may be parts of the whole answer, which they would keep
// alive.
func (b *Buffer) digest(a Answer) Answer {
	for i := range a.Asked {
		asked := &a.Asked[i]
		asked.Arguments = kept(asked.Arguments, b.set.KeepArguments, b.set.MaxPayload).Clone()
	}
	for i := range a.Results {
		result := &a.Results[i]
		result.Output = kept(result.Output, b.set.KeepOutput, b.set.MaxPayload).Clone()
	}
	return a
}

// kept is p, or less if that is not to be kept. It may be a part of something larger.
func kept(p scoring.Payload, keep bool, limit int) scoring.Payload {
	if !keep {
		return scoring.Payload{}
	}
	return p.Limit(limit)
}

// addAnswer returns by how many bytes t grew. What an answer repeats of a retried export is dropped, and what is over
// the limit of calls is not kept.
func (t *trace) addAnswer(a Answer, limit int, w *work) int {
	freed := 0
	if len(t.answers) >= max(firstRepeats, int(t.nextAnswers)) {
		freed = t.dropRepeatedAnswers(w)
		t.nextAnswers = twice(len(t.answers))
	}
	known := t.toldSize
	*w += work(1 + len(a.Asked) + len(a.Results))
	t.tell(&a)
	grown := t.toldSize - known
	if t.asked+len(a.Asked) > limit {
		t.leaveOut(a.Span)
		return grown - freed
	}
	t.asked += len(a.Asked)
	t.answers = append(t.answers, a)
	return grown + a.size() - freed
}

// maxTold is how many results are kept of an answer whose call ids mean nothing by themselves.
const maxTold = 64

// tell notes the results of an answer. A model is told of all results of its turn again and again, so they are kept once
// for the trace: as the model that answered first was told. Only a root keeps its own, which lead to the step before,
// and those whose ids mean nothing by themselves stay where they are.
func (t *trace) tell(a *Answer) {
	repeatable := 0
	told := len(a.Results)
	a.Results = slices.DeleteFunc(a.Results, func(r Result) bool {
		if !Telling(r.ID) {
			repeatable++
			return repeatable < told-maxTold // the newest stand last
		}
		t.addTold(a.Process, outcome{r, a.Start})
		return !a.Parent.IsEmpty()
	})
	if len(a.Results) < cap(a.Results)/2 { // which would stay alive for the few that are left
		a.Results = slices.Clone(a.Results)
	}
}

// addTold keeps of several outcomes of a call that a process tells the first one. It returns by how many bytes t grew.
func (t *trace) addTold(p Process, o outcome) int {
	if t.told == nil {
		t.told = make(map[toldID]outcome)
	}
	before, id := t.toldSize, toldID{p, o.ID}
	known, again := t.told[id]
	switch {
	case !again:
		t.toldSize += toldBytes + len(o.ID) + o.Output.Size()
		t.told[id] = o
	case compareOutcomes(o, known) < 0:
		t.toldSize += o.Output.Size() - known.Output.Size()
		t.told[id] = o
	}
	return t.toldSize - before
}

func compareOutcomes(a, b outcome) int {
	return cmp.Or(cmp.Compare(a.at, b.at), a.Output.Compare(b.Output))
}

// dropRepeatedAnswers puts the answers in order, keeps one of those with the same span, and returns how many bytes
// that freed.
func (t *trace) dropRepeatedAnswers(w *work) (freed int) {
	*w += work(len(t.answers))
	slices.SortFunc(t.answers, func(a, b Answer) int {
		if order := cmp.Or(compareSpans(a.Span, b.Span), cmp.Compare(len(b.Asked), len(a.Asked)), cmp.Compare(len(b.Results), len(a.Results))); order != 0 {
			return order
		}
		return slices.CompareFunc(a.Asked, b.Asked, compareAsked)
	})
	kept := t.answers[:0]
	for _, a := range t.answers {
		if n := len(kept); n > 0 && kept[n-1].key() == a.key() && !a.ID.IsEmpty() {
			if kept[n-1].tells(&a) {
				freed += a.size()
				t.asked -= len(a.Asked)
				continue
			}
			t.contested = true
		}
		kept = append(kept, a)
	}
	clear(t.answers[len(kept):])
	t.answers = kept
	return freed
}

// tells reports whether a asks for all that o asks for, and that is a part of it: o was flushed before the model had
// answered, or sent again.
func (a *Answer) tells(o *Answer) bool {
	return len(o.Asked) <= len(a.Asked) && slices.EqualFunc(a.Asked[:len(o.Asked)], o.Asked, func(x, y Asked) bool {
		return x.ID == y.ID && x.Name == y.Name && (x.Arguments == y.Arguments || y.Arguments == scoring.Payload{})
	})
}

func compareAsked(a, b Asked) int {
	if order := cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)); order != 0 {
		return order
	}
	return compareForms(a.Arguments, b.Arguments)
}

// size is what a keeps alive.
func (a *Answer) size() int {
	size := answerBytes + (len(a.Asked)+len(a.Results))*askedBytes
	for i := range a.Asked {
		size += len(a.Asked[i].ID) + len(a.Asked[i].Name) + a.Asked[i].Arguments.Size()
	}
	for i := range a.Results {
		size += len(a.Results[i].ID) + a.Results[i].Output.Size()
	}
	return size
}

// ranks are the places of calls in the answers of models, by call id and process; those in the first place have none. Of
// an id that stands in several answers, the lowest place counts.
func (t *trace) ranks() map[toldID]uint16 {
	var ranks map[toldID]uint16
	for i := range t.answers {
		asked := t.answers[i].Asked
		for place := 1; place < len(asked); place++ {
			id := toldID{t.answers[i].Process, asked[place].ID}
			if id.id == "" {
				continue
			}
			if ranks == nil {
				ranks = make(map[toldID]uint16)
			}
			at := rankOf(place)
			if known, ok := ranks[id]; ok {
				at = min(at, known)
			}
			ranks[id] = at
		}
	}
	return ranks
}

// rankOf is the rank of a place in an answer.
func rankOf(place int) uint16 { return uint16(min(place, math.MaxUint16)) }
