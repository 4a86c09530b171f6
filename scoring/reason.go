package scoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A reason is made in stages: an alignment shows findings (finding.go), findings become clauses, and clauses a
// sentence or two.

const (
	// maxReason is the size of a reason in bytes.
	maxReason = 1024
	// maxItems is how many names one clause lists, maxName how much of each is shown, and maxPath how much of a path.
	maxItems = 8
	maxName  = 64
	maxPath  = 80
	maxValue = 40
)

// ReasonOptions say what a reason may tell.
type ReasonOptions struct {
	// Values: quote what was expected and what was called. They may be private.
	Values bool
}

// Reason says in one or two sentences why the run got its score, or why it got none.
//
//   - It is at most 1,024 bytes of valid UTF-8 in one line.
//   - The same verdict has the same reason.
//   - What a person would mend first comes first: forbidden calls, missing tools, wrong arguments with their key
//     paths, wrong order, then calls that nobody expected.
func (v Verdict) Reason(o ReasonOptions) string {
	if v.Status != Scored {
		return cut(printable(v.unscoredReason()), maxReason)
	}
	f := newFinder(v.Alignment)
	defer f.release()
	f.find()
	f.text = f.a.appendReason(f.text[:0], f.found, o)
	return cut(printable(string(f.text)), maxReason)
}

func (v Verdict) unscoredReason() string {
	if v.Why == "" {
		return "not scored: " + v.Status.String()
	}
	return v.Why
}

// appendReason says what was forbidden, how many of the expected calls there are, and what about the others. The
// findings are sorted by kind, and each kind is one clause.
func (a *Alignment) appendReason(text []byte, findings []Finding, o ReasonOptions) []byte {
	if clause, rest := firstKind(findings); len(clause) > 0 && clause[0].Kind == ForbiddenCall {
		text = append(text, "Forbidden calls were made: "...)
		text = append(appendItems(text, clause, o), ". "...)
		findings = rest
	}
	text, good := a.appendOpening(text)
	separator := ": "
	if good {
		separator = "; "
	}
	for len(findings) > 0 {
		var clause []Finding
		clause, findings = firstKind(findings)
		text = append(append(text, separator...), clause[0].Kind.intro()...)
		text = appendItems(text, clause, o)
		separator = "; "
	}
	for _, note := range a.Notes {
		text = append(append(text, separator...), note...)
		separator = "; "
	}
	return append(text, '.')
}

// firstKind splits findings behind those of the first one's kind.
func firstKind(findings []Finding) (first, rest []Finding) {
	n := 0
	for n < len(findings) && findings[n].Kind == findings[0].Kind {
		n++
	}
	return findings[:n], findings[n:]
}

// appendOpening counts. good: there is nothing missing.
func (a *Alignment) appendOpening(text []byte) (_ []byte, good bool) {
	expected := len(a.Expected) - len(a.Optional)
	matched := 0
	for _, p := range a.Pairs {
		if _, optional := slices.BinarySearch(a.Optional, p.Expected); !optional && p.Credit >= 1 {
			matched++
		}
	}
	switch {
	case expected == 0 && len(a.Called) == 0:
		return append(text, "No calls were expected and none were made"...), true
	case expected == 0:
		return append(text, "No calls were expected"...), true
	case matched < expected:
		text = append(strconv.AppendInt(text, int64(matched), 10), " of "...)
		return append(strconv.AppendInt(text, int64(expected), 10), " expected calls matched"...), false
	case expected == 1:
		return append(text, "The expected call was made"...), true
	}
	text = strconv.AppendInt(append(text, "All "...), int64(expected), 10)
	text = append(text, " expected calls were made"...)
	if a.Ordered {
		text = append(text, " in order"...)
	}
	return text, true
}

func (k FindingKind) intro() string {
	return [...]string{
		"", "missing ", "wrong arguments: ", "wrong output: ", "wrong type: ", "out of order: ",
		"repeated call counted once: ", "not expected: ",
	}[k]
}

// appendItems lists findings, and counts those it leaves out.
func appendItems(text []byte, findings []Finding, o ReasonOptions) []byte {
	for i := range findings[:min(len(findings), maxItems)] {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = findings[i].appendItem(text, o)
	}
	if more := len(findings) - maxItems; more > 0 {
		text = strconv.AppendInt(append(text, " and "...), int64(more), 10)
		text = append(text, " more"...)
	}
	return text
}

// appendItem is a finding as one item of a clause: "search (3 times)", "refund_order (currency, lines[0].sku)".
func (f *Finding) appendItem(text []byte, o ReasonOptions) []byte {
	name := clean(f.Name)
	if name == "" {
		name = `""`
	}
	text = append(text, name...)
	opening := " ("
	for i := range f.Differences {
		if difference := f.Differences[i].text(o); difference != "" {
			text = append(append(text, opening...), difference...)
			opening = ", "
		}
	}
	if f.Count > 1 {
		text = strconv.AppendInt(append(text, opening...), int64(f.Count), 10)
		text = append(text, " times"...)
		opening = ", "
	}
	if opening == ", " {
		text = append(text, ')')
	}
	return text
}

func (d *Difference) text(o ReasonOptions) string {
	path := cut(d.Path, maxPath)
	if !o.Values {
		return path
	}
	if path != "" {
		path += ": "
	}
	switch {
	case d.Missing:
		return path + "nothing instead of " + shown(d.Expected)
	case d.Extra:
		return path + shown(d.Called) + " instead of nothing"
	}
	return path + shown(d.Called) + " instead of " + shown(d.Expected)
}

// shown is a value in a few characters.
func shown(v Value) string {
	switch v.Kind() {
	case Bool:
		return strconv.FormatBool(v.Bool())
	case Number:
		return cut(v.Lexeme(), maxValue)
	case String:
		return `"` + cut(clean(v.Text()), maxValue) + `"`
	case Array:
		return fmt.Sprintf("an array of %d", v.Len())
	case Object:
		return fmt.Sprintf("an object of %d", v.Len())
	}
	return "null"
}

// clean makes a name or value fit for a sentence.
func clean(s string) string {
	// One character is at most four bytes, so what is cut off first would not be shown anyway.
	return cut(printable(cut(s, 4*maxName)), maxName)
}

// printable is valid UTF-8, in one line, without characters that cannot be seen or that rearrange what can.
func printable(s string) string {
	if plain(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// plain reports whether s is all printable ASCII, as nearly every name is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// cut returns s, or as much of it as goes into max bytes with an ellipsis behind.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	const ellipsis = "…"
	end := max - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}
