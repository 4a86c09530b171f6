package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

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
	f := v.Alignment.explain()
	defer f.release()
	r := reason{options: o, text: f.text[:0]}
	r.write(v, &f.findings)
	f.text = r.text
	return SafeName(string(r.text), maxReason)
}

// A reason is being written.
type reason struct {
	options ReasonOptions
	text    []byte
	start   int // of the clauses of the sentence in text
}

// sentence begins a sentence.
func (r *reason) sentence(opening string) {
	r.text = append(r.text, opening...)
	r.start = len(r.text)
}

// clause begins a clause.
func (r *reason) clause(texts ...string) {
	if len(r.text) > r.start {
		r.text = append(r.text, "; "...)
	}
	r.add(texts...)
}

func (r *reason) add(texts ...string) {
	for _, text := range texts {
		r.text = append(r.text, text...)
	}
}

// write writes the sentence that says why the run passed or failed and, if it failed, one with numbers and the findings that are left.
func (r *reason) write(v *Verdict, findings *[len(kinds)][]Finding) {
	a := &v.Alignment
	forbidden, mending, extra := findings[:MissingCall], findings[MissingCall:OverLimit], findings[OverLimit:]
	broken := !none(forbidden) || len(a.Broken) > 0
	// A forbidden call is an extra call too, so the rule about extra calls then adds nothing.
	others := a.Extra == ExtraForbidden && (!none(extra) || none(forbidden))
	switch {
	case v.Passed && (broken || others):
		r.sentence(fmt.Sprintf("Passed, since the threshold is %v: ", v.Threshold))
	case v.Passed:
		r.sentence("Passed: ")
		r.numbers(a, mending, extra, a.Notes)
		return
	default:
		r.sentence("Failed: ")
	}
	r.clauses(forbidden)
	for _, rule := range a.Broken {
		r.clause(rule.Text)
	}
	extraFirst := others || !broken && (a.Extra == ExtraLowers || none(mending))
	if others && none(extra) || !others && !broken {
		r.clauses(mending)
		mending = nil
	}
	if extraFirst {
		r.clauses(extra)
		extra = nil
	}
	if others {
		r.clause("no other calls are allowed")
	}
	if broken || others {
		r.add(", so the score is 0")
	}
	notes := a.Notes
	if !broken && none(mending) {
		for _, note := range notes {
			r.clause(note)
		}
		notes = nil
	}
	if len(r.text) == r.start { // nothing is wrong
		r.numbers(a, nil, nil, nil)
		return
	}
	r.sentence(". ")
	first := r.start
	r.numbers(a, mending, extra, notes)
	r.text[first] = byte(unicode.ToUpper(rune(r.text[first])))
}

// numbers ends a sentence: how many of the expected calls were made, findings, and notes.
func (r *reason) numbers(a *Alignment, mending, extra [][]Finding, notes []string) {
	r.opening(a)
	r.clauses(mending)
	r.clauses(extra)
	for _, note := range notes {
		r.clause(note)
	}
	r.add(".")
}

// none reports whether there is no finding of any kind.
func none(findings [][]Finding) bool {
	return !slices.ContainsFunc(findings, func(same []Finding) bool { return len(same) > 0 })
}

// opening writes the clause that says how many of the expected calls were made.
func (r *reason) opening(a *Alignment) {
	expected := len(a.Expected) - len(a.Optional)
	matched, partly, optional := 0, false, a.Optional
	for _, p := range a.Pairs {
		switch {
		case len(optional) > 0 && optional[0] == p.Expected:
			optional = optional[1:]
		case p.Credit >= 1:
			matched++
		default:
			partly = true
		}
	}
	wanted := "expected"
	if a.HasOptional {
		wanted = "required"
	}
	switch {
	case expected == 0 && len(a.Called) == 0:
		r.clause("no calls were ", wanted, " and none were made")
	case expected == 0:
		r.clause("no calls were ", wanted)
	case len(a.Called) == 0:
		r.clause("no calls were made, ", plural(expected, "was", "were"), " expected")
	case matched < expected:
		r.clause(strconv.Itoa(matched), " of ", strconv.Itoa(expected), " expected calls matched")
		if partly {
			r.add(" in full")
		}
	case expected == 1:
		r.clause("the expected call was made")
	case expected == 2 && len(a.Optional) == 0 && a.Expected[0].label() != a.Expected[1].label():
		r.clause("both expected calls were made")
	case expected == 2:
		r.clause("2 of 2 expected calls were made") // "both" would mean two of perhaps more calls of one tool
	default:
		r.clause("all ", strconv.Itoa(expected), " expected calls were made")
	}
	if a.Ordered && matched == expected && expected > 1 {
		r.add(" in order")
	}
}

// clauses writes a clause for each kind of finding. It lists the first findings, and counts the others.
func (r *reason) clauses(findings [][]Finding) {
	for _, same := range findings {
		if len(same) == 0 {
			continue
		}
		intro := kinds[same[0].Kind].intro
		if same[0].Kind == ForbiddenCall && len(same) == 1 && same[0].Count == 1 {
			intro = "a forbidden call was made: "
		}
		r.clause(intro)
		for i := range same[:min(len(same), maxItems)] {
			if i > 0 {
				r.add(", ")
			}
			r.item(&same[i])
		}
		if more := len(same) - maxItems; more > 0 {
			r.add(" and ", strconv.Itoa(more), " more")
		}
	}
}

// item writes a finding: "search (3 times)", "refund_order (currency, lines[0].sku)", "poll: 3 calls, at most 2". A limit comes with its numbers.
func (r *reason) item(f *Finding) {
	name := clean(f.Name)
	if strings.TrimSpace(name) != name || name == "" {
		name = `"` + name + `"` // else a reader could not see where it begins and ends
	}
	r.add(name)
	if f.Kind == OverLimit {
		r.add(": ", f.Because)
		return
	}
	details := " ("
	var few [maxDifferences + 1]string
	for _, text := range appendFaults(few[:0], f.Because, f.Differences, r.options) {
		r.add(details, text)
		details = ", "
	}
	if f.Count > 1 {
		r.add(details, strconv.Itoa(f.Count), " times")
		details = ", "
	}
	if details == ", " {
		r.add(")")
	}
}

// appendFaults appends the rule that a call breaks, if one does, and differences in a few words.
func appendFaults(texts []string, because string, differences []Difference, o ReasonOptions) []string {
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

// textOf returns a difference in a few words, or "" if all of it is private. The names of keys that only the call has may be private: a key may
// be a person's address.
func textOf(d *Difference, o ReasonOptions) string {
	path := SafeName(d.Path, maxPath)
	switch {
	case o.Values:
	case !d.Extra:
		return path
	case d.Alike == 0:
		return "" // the object's first difference counted them
	case d.Under == "":
		return plural(d.Alike, "unexpected key", "unexpected keys")
	default:
		return plural(d.Alike, "unexpected key", "unexpected keys") + " in " + SafeName(d.Under, maxPath)
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
