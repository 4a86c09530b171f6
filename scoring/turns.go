package scoring

import (
	"cmp"
	"fmt"
	"strings"
)

// maxTurns bounds the turns of an expectation.
const maxTurns = 1000

// A turn is the calls of one turn, with what is expected of them.
type turn struct {
	expected *Expectation
	calls    []Call
}

// turnsOf divides the calls of a conversation by the turns that are expected. A turn that did not take place has no calls. The calls
// after the last expected turn are one turn more.
func (e *Expectation) turnsOf(calls []Call) (turns []turn) {
	from := 0
	for i, expected := range e.turns {
		to := from
		for to < len(calls) && int(calls[to].Turn) <= i {
			to++
		}
		if e.conditions != nil && expected.HasConditions() {
			expected = expected.With(e.conditions)
			expected.first = from
		}
		turns = append(turns, turn{expected, calls[from:to:to]})
		from = to
	}
	if from < len(calls) {
		turns = append(turns, turn{&Expectation{}, calls[from:]})
	}
	return turns
}

// judgeTurns scores each turn of a conversation by a method. The score is their mean or, with AllTurns, 1 if all of them pass, else 0. A
// turn that was not expected scores 0. If a turn cannot be scored, neither can the conversation.
func judgeTurns(m Method, e *Expectation, calls []Call) Verdict {
	v := Verdict{Alignment: Alignment{Called: calls}}
	passed, from, sum := 0, 0, 0.0
	for i, t := range e.turnsOf(calls) {
		one := m.Judge(t.expected, t.calls)
		if i == len(e.turns) {
			one.Status, one.Score, one.Passed = Scored, 0, one.Threshold <= 0
			one.Alignment.Broken = append(one.Alignment.Broken, BrokenRule{"the turn was not expected", -1})
		}
		if one.Status != Scored && v.Status == Scored {
			v.Status, v.Why = one.Status, fmt.Sprintf("turn %d: %s", i+1, cmp.Or(one.Why, one.Status.String()))
		}
		if sum += one.Score; one.Passed {
			passed++
		}
		v.Threshold = one.Threshold
		v.Alignment.join(&one.Alignment, from)
		from += len(t.calls)
		v.Turns = append(v.Turns, one)
	}
	if v.Status != Scored {
		return v
	}
	if v.Score = sum / float64(len(v.Turns)); e.settings.AllTurns {
		v.Score = float64(passed / len(v.Turns))
	}
	v.Passed = v.Score >= v.Threshold
	return v
}

// join adds what is known of expected tools and calls in a turn, whose first call is the call from of the conversation.
func (a *Alignment) join(o *Alignment, from int) {
	first := len(a.Expected)
	a.Expected = append(a.Expected, o.Expected...)
	for _, p := range o.Pairs {
		a.Pairs = append(a.Pairs, Pair{p.Expected + first, p.Called + from, p.Credit})
	}
	for _, call := range o.Forbidden {
		a.Forbidden = append(a.Forbidden, call+from)
	}
	for _, call := range o.Repeats {
		a.Repeats = append(a.Repeats, call+from)
	}
	a.Guessed = a.Guessed || o.Guessed
}

// turnsReason says what made the score 0, how many turns passed, and why the first others did not.
func (v *Verdict) turnsReason(o ReasonOptions) string {
	var why strings.Builder
	passed, named := 0, 0
	for i := range v.Turns {
		switch t := &v.Turns[i]; {
		case t.Passed:
			passed++
		case named < maxItems:
			named++
			fmt.Fprintf(&why, " Turn %d: %s", i+1, strings.TrimPrefix(t.Reason(o), "Failed: "))
		}
	}
	opening := []string{"Failed: "}
	if v.Passed {
		opening[0] = "Passed: "
	}
	for _, rule := range v.Alignment.Broken {
		opening = append(opening, rule.Text, "; ")
	}
	return SafeName(fmt.Sprintf("%s%d of %d turns passed.%s", strings.Join(opening, ""), passed, len(v.Turns), why.String()), maxReason)
}

// turnsMatches are the matches of the turns, with the indices of the conversation.
func (v *Verdict) turnsMatches() (all []Match) {
	expected, called := 0, 0
	for i := range v.Turns {
		for _, m := range v.Turns[i].Matches() {
			if m.Expected >= 0 {
				m.Expected += expected
			}
			if m.Called >= 0 {
				m.Called += called
			}
			all = append(all, m)
		}
		expected += len(v.Turns[i].Alignment.Expected)
		called += len(v.Turns[i].Alignment.Called)
	}
	return all
}

// diffTurns compares each turn by names.
func diffTurns(e *Expectation, calls []Call, diff func(*Expectation, []Call) (missing, unexpected []string)) (missing, unexpected []string) {
	for _, t := range e.turnsOf(calls) {
		less, more := diff(t.expected, t.calls)
		missing, unexpected = append(missing, less...), append(unexpected, more...)
	}
	return missing, unexpected
}

// ofEach joins what the turns have.
func ofEach[V, T any](each []V, has func(V) []T) (all []T) {
	for _, v := range each {
		all = append(all, has(v)...)
	}
	return all
}
