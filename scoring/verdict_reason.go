package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// An alignment yields findings (verdict_explain.go), which become the clauses of one or two sentences.

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
func (v *Verdict) Reason(o ReasonOptions) string {
	if v.Status != Scored {
		return SafeName("Not scored: "+cmp.Or(v.Why, v.Status.String())+".", maxReason)
	}
	if v.Turns != nil {
		return v.turnsReason(o)
	}
	return SafeName(v.sentences(o), maxReason)
}

// sentences says why the run passed or failed and, if it failed, adds one with numbers and the findings that are left.
func (v *Verdict) sentences(o ReasonOptions) string {
	a := &v.Alignment
	forbidden, rest := before(explain(a).findings, ForbiddenCall+1)
	mending, extra := before(rest, OverLimit)
	broken := len(forbidden) > 0 || len(a.Broken) > 0
	// A forbidden call is an extra call too, so the rule about extra calls then adds nothing.
	others := a.Extra == ExtraForbidden && (len(extra) > 0 || len(forbidden) == 0)
	opening, notes := "Failed: ", a.Notes
	switch {
	case v.Passed && (broken || others):
		opening = fmt.Sprintf("Passed, since the threshold is %v: ", v.Threshold)
	case v.Passed:
		return "Passed: " + sentence(a.numbers(), clauses(rest, o), notes)
	}
	why := clauses(forbidden, o)
	for _, rule := range a.Broken {
		why = append(why, rule.Text)
	}
	const noOtherCalls = "no other calls are allowed"
	switch {
	case others && len(extra) == 0:
		why = append(append(why, clauses(mending, o)...), noOtherCalls)
		mending = nil
	case others:
		why = append(append(why, clauses(extra, o)...), noOtherCalls)
		extra = nil
	case !broken && (a.Extra == ExtraLowers || len(mending) == 0):
		why = clauses(rest, o)
		mending, extra = nil, nil
	case !broken:
		why = clauses(mending, o)
		mending = nil
	}
	if broken || others {
		why[len(why)-1] += ", so the score is 0"
	}
	if !broken && len(mending) == 0 {
		why, notes = append(why, notes...), nil
	}
	if len(why) == 0 { // nothing is wrong
		return opening + sentence(a.numbers())
	}
	second := sentence(a.numbers(), clauses(mending, o), clauses(extra, o), notes)
	return opening + sentence(why) + " " + strings.ToUpper(second[:1]) + second[1:]
}

// sentence returns a sentence of clauses.
func sentence(clauses ...[]string) string { return strings.Join(slices.Concat(clauses...), "; ") + "." }

// before splits sorted findings: those before a kind, and those from it on.
func before(findings []Finding, kind FindingKind) (earlier, later []Finding) {
	n := 0
	for n < len(findings) && findings[n].Kind < kind {
		n++
	}
	return findings[:n], findings[n:]
}

// numbers returns the clause that says how many of the expected calls were made.
func (a *Alignment) numbers() []string {
	expected := len(a.Expected) - len(a.Optional)
	matched, partly := 0, false
	for _, p := range a.Pairs {
		if _, optional := slices.BinarySearch(a.Optional, p.Expected); optional {
			continue
		}
		if p.Credit >= 1 {
			matched++
		} else {
			partly = true
		}
	}
	text := ""
	switch {
	case expected == 0 && len(a.Called) == 0:
		text = "no calls were expected and none were made"
	case expected == 0:
		text = "no calls were expected"
	case len(a.Called) == 0:
		text = "no calls were made, " + plural(expected, "was", "were") + " expected"
	case matched < expected:
		text = fmt.Sprintf("%d of %d expected calls matched", matched, expected)
		if partly {
			text += " in full"
		}
	case expected == 1:
		text = "the expected call was made"
	case expected == 2 && len(a.Optional) == 0 && a.Expected[0].label() != a.Expected[1].label():
		text = "both expected calls were made"
	case expected == 2:
		text = "2 of 2 expected calls were made" // "both" would mean two of perhaps more calls of one tool
	default:
		text = fmt.Sprintf("all %d expected calls were made", expected)
	}
	if a.Ordered && matched == expected && expected > 1 {
		text += " in order"
	}
	return []string{text}
}

// clauses returns a clause for each kind of finding. It lists the first findings, and counts the others.
func clauses(findings []Finding, o ReasonOptions) (texts []string) {
	for len(findings) > 0 {
		var same []Finding
		same, findings = before(findings, findings[0].Kind+1)
		items := make([]string, min(len(same), maxItems))
		for i := range items {
			items[i] = same[i].text(o)
		}
		text := intro(same) + strings.Join(items, ", ")
		if more := len(same) - maxItems; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		texts = append(texts, text)
	}
	return texts
}

// intro returns the text before the items of a clause.
func intro(clause []Finding) string {
	kind := clause[0].Kind
	if kind == ForbiddenCall && len(clause) == 1 && clause[0].Count == 1 {
		return "a forbidden call was made: "
	}
	return kind.words().intro
}

// text returns a finding as an item: "search (3 times)", "refund_order (currency, lines[0].sku)", "poll: 3 calls, at most 2".
func (f *Finding) text(o ReasonOptions) string {
	name := clean(f.Name)
	if strings.TrimSpace(name) != name || name == "" {
		name = `"` + name + `"` // else a reader could not see where it begins and ends
	}
	if f.Kind == OverLimit {
		return fmt.Sprintf("%s: %d calls, at most %d", name, f.Made, f.Limit)
	}
	details := faults(f.Because, f.Differences, o)
	if f.Count > 1 {
		details = append(details, fmt.Sprintf("%d times", f.Count))
	}
	if len(details) > 0 {
		name += " (" + strings.Join(details, ", ") + ")"
	}
	return name
}

// faults returns the rule that a call breaks, if one does, and differences in a few words.
func faults(because string, differences []Difference, o ReasonOptions) (texts []string) {
	if because != "" {
		texts = append(texts, because)
	}
	for i := range differences {
		if text := textOf(&differences[i], o); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
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
	text := plural(d.Alike, "unexpected key", "unexpected keys")
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
	return append(broken, BrokenRule{callsMade(made) + ", exactly " + are(expected) + " expected", -1})
}

// atMost returns the clause of a limit.
func atMost(limit int) string {
	if limit == 0 {
		return "none is allowed"
	}
	return "at most " + are(limit) + " allowed"
}

func callsMade(n int) string { return plural(n, "call was made", "calls were made") }

func are(n int) string { return plural(n, "is", "are") }

// plural returns a number and the word that goes with it.
func plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// SafeName returns a name that is safe to show anywhere: one line of valid UTF-8, of at most limit bytes. Invisible characters and
// those that rearrange others are escaped as in a Go string. A name that does not fit ends with an ellipsis.
func SafeName(name string, limit int) string { return names.Safe(name, limit) }

// clean returns a name that is safe in a sentence.
func clean(name string) string { return SafeName(name, maxName) }

// quoted returns a name that is safe in a sentence, in quotes.
func quoted(name string) string { return `"` + clean(name) + `"` }
