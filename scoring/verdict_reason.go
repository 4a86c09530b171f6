package scoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A reason is made in stages: an alignment yields findings (verdict_explain.go), findings become clauses, and clauses become one
// or two sentences.

const (
	// maxReason is the size of a reason in bytes.
	maxReason = 1024
	// maxItems bounds the names in a clause. maxName bounds the bytes of each name, and maxPath those of a path.
	maxItems = 8
	maxName  = 64
	maxPath  = 80
	maxValue = 40
)

// ReasonOptions say what a reason may contain.
type ReasonOptions struct {
	// Values quotes values of arguments and outputs, and names keys that only a call has. Both may be private. Without Values
	// a reason names tools and keys of the expectation, and counts other keys.
	Values bool
}

// Reason explains in one or two sentences why the run passed or failed, or why it has no score.
//
//   - It is at most 1,024 bytes of valid UTF-8 in one line. Invisible characters in names are escaped (see [SafeName]).
//   - The same verdict has the same reason.
//   - If the run failed, the first sentence says why: what made the score 0, or else the faults in the order of
//     [FindingKind].
//   - Without Values it contains nothing of a call's arguments and output, not even their keys.
func (v Verdict) Reason(o ReasonOptions) string {
	if v.Status != Scored {
		why := v.Why
		if why == "" {
			why = v.Status.String()
		}
		return SafeName("Not scored: "+why+".", maxReason)
	}
	if v.Turns != nil {
		return v.turnsReason(o)
	}
	f := explain(&v.Alignment)
	defer f.release()
	w := writer{text: f.text[:0], options: o}
	w.verdict(&v, f.sorted())
	f.text = w.text
	return SafeName(string(w.text), maxReason)
}

// A writer joins clauses.
type writer struct {
	text    []byte
	options ReasonOptions
	// open: a clause was written, so the next one needs a separator.
	open bool
}

// verdict writes the reason, with a clause for each kind of finding. The findings must be sorted by kind.
func (w *writer) verdict(v *Verdict, findings []Finding) {
	a := &v.Alignment
	forbidden, rest := before(findings, ForbiddenCall+1)
	mending, extra := before(rest, OverLimit)
	broken := len(forbidden) > 0 || len(a.Broken) > 0
	// A forbidden call is an extra call too, so the rule about extra calls then adds nothing.
	others := a.Extra == ExtraForbidden && (len(extra) > 0 || len(forbidden) == 0)
	switch {
	case !v.Passed:
		w.add("Failed: ")
	case broken || others:
		w.add(fmt.Sprintf("Passed, since the threshold is %v: ", v.Threshold))
	default:
		w.add("Passed: ")
		w.opening(a)
		w.clauses(mending, extra)
		w.notes(a.Notes)
		w.add(".")
		return
	}
	w.clauses(forbidden)
	for _, rule := range a.Broken {
		w.notes([]string{rule.Text})
	}
	switch {
	case others && len(extra) == 0:
		w.clauses(mending)
		w.notes([]string{noOtherCalls})
		mending = nil
	case others:
		w.clauses(extra)
		w.notes([]string{noOtherCalls})
		extra = nil
	case !broken && (a.Extra == ExtraLowers || len(mending) == 0):
		w.clauses(mending, extra)
		mending, extra = nil, nil
	case !broken:
		w.clauses(mending)
		mending = nil
	}
	w.account(a, mending, extra)
}

// noOtherCalls is the clause for [ExtraForbidden].
const noOtherCalls = "no other calls are allowed"

// account ends the sentence that says why a run failed, and writes the next one with numbers and the remaining findings.
func (w *writer) account(a *Alignment, mending, extra []Finding) {
	if !w.open {
		// There is no finding, so only the notes can explain the score.
		w.notes(a.Notes)
		if w.open {
			w.sentence(a)
		} else {
			w.opening(a)
		}
		w.add(".")
		return
	}
	notes := a.Notes
	if len(mending) == 0 && len(a.Broken) == 0 && len(a.Forbidden) == 0 {
		w.notes(notes)
		notes = nil
	}
	w.sentence(a)
	w.clauses(mending, extra)
	w.notes(notes)
	w.add(".")
}

// before splits sorted findings: those before a kind, and those from it on.
func before(findings []Finding, kind FindingKind) (earlier, later []Finding) {
	n := 0
	for n < len(findings) && findings[n].Kind < kind {
		n++
	}
	return findings[:n], findings[n:]
}

// add is not inlined: it has many callers, and one copy of it stays in the cache.
//
//go:noinline
func (w *writer) add(text string) { w.text = append(w.text, text...) }

// next writes a separator if a clause was written before.
func (w *writer) next() {
	if w.open {
		w.add("; ")
	}
	w.open = true
}

// sentence begins the second sentence.
func (w *writer) sentence(a *Alignment) {
	w.add(". ")
	w.open = false
	at := len(w.text)
	w.opening(a)
	if first := &w.text[at]; 'a' <= *first && *first <= 'z' {
		*first -= 'a' - 'A'
	}
}

// notes writes each fact as a clause.
func (w *writer) notes(facts []string) {
	for _, fact := range facts {
		w.next()
		w.add(fact)
	}
}

// opening writes how many of the expected calls were made.
func (w *writer) opening(a *Alignment) {
	w.next()
	expected := len(a.Expected) - len(a.Optional)
	matched, partly := 0, false
	for _, p := range a.Pairs {
		if len(a.Optional) > 0 {
			if _, optional := slices.BinarySearch(a.Optional, p.Expected); optional {
				continue
			}
		}
		if p.Credit >= 1 {
			matched++
		} else {
			partly = true
		}
	}
	switch {
	case expected == 0 && len(a.Called) == 0:
		w.add("no calls were expected and none were made")
	case expected == 0:
		w.add("no calls were expected")
	case len(a.Called) == 0:
		w.add("no calls were made, ")
		w.number(expected)
		w.add(wereExpected(expected))
	case matched < expected:
		w.number(matched)
		w.add(" of ")
		w.number(expected)
		w.add(" expected calls matched")
		if partly {
			w.add(" in full")
		}
	case expected == 1:
		w.add("the expected call was made")
	case expected == 2 && len(a.Optional) == 0 && a.Expected[0].label() != a.Expected[1].label():
		w.add("both expected calls were made")
	case expected == 2:
		w.add("2 of 2 expected calls were made") // "both" would mean two of perhaps more calls of one tool
	default:
		w.add("all ")
		w.number(expected)
		w.add(" expected calls were made")
	}
	if a.Ordered && matched == expected && expected > 1 {
		w.add(" in order")
	}
}

func wereExpected(n int) string {
	if n == 1 {
		return " was expected"
	}
	return " were expected"
}

func (w *writer) number(n int) { w.text = strconv.AppendInt(w.text, int64(n), 10) }

// clauses writes one clause for each kind of finding.
func (w *writer) clauses(groups ...[]Finding) {
	for _, findings := range groups {
		for len(findings) > 0 {
			var clause []Finding
			clause, findings = before(findings, findings[0].Kind+1)
			w.next()
			w.add(intro(clause))
			w.items(clause)
		}
	}
}

// intro returns the text before the items of a clause.
func intro(clause []Finding) string {
	kind := clause[0].Kind
	if kind == ForbiddenCall && len(clause) == 1 && clause[0].Count == 1 {
		return "a forbidden call was made: "
	}
	return [...]string{
		"forbidden calls were made: ", "missing ", "wrong arguments: ", "wrong output: ", "wrong type: ", "condition not met: ", "out of order: ",
		"repeated call counted once: ", "", "not allowed: ", "not expected: ",
	}[kind]
}

// items lists the first findings, and counts the others.
func (w *writer) items(findings []Finding) {
	for i := range findings[:min(len(findings), maxItems)] {
		if i > 0 {
			w.add(", ")
		}
		w.item(&findings[i])
	}
	if more := len(findings) - maxItems; more > 0 {
		w.add(" and ")
		w.number(more)
		w.add(" more")
	}
}

// item writes a finding: "search (3 times)", "refund_order (currency, lines[0].sku)", "poll: 3 calls, at most 2".
func (w *writer) item(f *Finding) {
	name := clean(f.Name)
	if strings.TrimSpace(name) != name || name == "" {
		name = `"` + name + `"` // else a reader could not see where it begins and ends
	}
	w.add(name)
	if f.Kind == OverLimit {
		w.add(": ")
		w.number(f.Made)
		w.add(" calls, at most ")
		w.number(f.Limit)
		return
	}
	opening := " ("
	if f.Because != "" {
		w.add(opening)
		w.add(f.Because)
		opening = ", "
	}
	for i := range f.Differences {
		if difference := textOf(&f.Differences[i], w.options); difference != "" {
			w.add(opening)
			w.add(difference)
			opening = ", "
		}
	}
	if f.Count > 1 {
		w.add(opening)
		w.number(f.Count)
		w.add(" times")
		opening = ", "
	}
	if opening == ", " {
		w.add(")")
	}
}

// textOf returns a difference in a few words, or "" if all of it is private.
func textOf(d *Difference, o ReasonOptions) string {
	path := SafeName(d.Path, maxPath)
	switch {
	case !o.Values && d.Extra:
		return extraKeys(d)
	case !o.Values:
		return path
	}
	expected, called := compare.ShownApart(d.Expected, d.Called, maxValue)
	switch {
	case d.Extra:
		expected = "nothing"
	case d.Missing:
		called = "nothing"
	}
	if d.Wanted != "" {
		expected = d.Wanted
	}
	if path != "" {
		path += ": "
	}
	return path + called + " instead of " + expected
}

// extraKeys returns the number of keys that only the call has. Their names may be private: a key may be a person's address.
func extraKeys(d *Difference) string {
	if d.Alike == 0 {
		return "" // the object's first difference counted them
	}
	text := strconv.Itoa(d.Alike) + " unexpected keys"
	if d.Alike == 1 {
		text = "1 unexpected key"
	}
	if d.Under != "" {
		text += " in " + SafeName(d.Under, maxPath)
	}
	return text
}

// notAsMany appends the rule about the numbers of calls made and expected. If one of them is 0, it appends nothing, because
// the reason says so anyway.
func notAsMany(broken []BrokenRule, expected, made int) []BrokenRule {
	if expected == 0 || made == 0 {
		return broken
	}
	return append(broken, BrokenRule{fmt.Sprintf("%s made, exactly %s expected", counted(made, "call"), counted(expected, "")), -1})
}

// tooManyCalls returns the clause for a run with more calls than its expectation allows.
func tooManyCalls(limit, made int) string {
	return counted(made, "call") + " made, " + atMost(limit)
}

// atMost returns the clause of a limit.
func atMost(limit int) string {
	if limit == 0 {
		return "none is allowed"
	}
	return "at most " + counted(limit, "") + " allowed"
}

// counted returns a number with its noun, if any, and its verb: "1 call was", "3 calls were", "1 is", "3 are".
func counted(n int, noun string) string {
	switch {
	case noun == "" && n == 1:
		return "1 is"
	case noun == "":
		return fmt.Sprintf("%d are", n)
	case n == 1:
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}

// SafeName returns a name that is safe to show anywhere: one line of valid UTF-8, of at most limit bytes. Invisible characters and
// those that rearrange others are escaped as in a Go string. A name that does not fit ends with an ellipsis.
func SafeName(name string, limit int) string { return names.Safe(name, limit) }

// clean returns a name that is safe in a sentence.
func clean(name string) string { return SafeName(name, maxName) }

// quoted returns a name that is safe in a sentence, in quotes.
func quoted(name string) string { return `"` + clean(name) + `"` }
