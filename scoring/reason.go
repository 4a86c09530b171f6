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
	clauses := map[FindingKind][]string{}
	for _, f := range v.Findings() {
		clauses[f.Kind] = append(clauses[f.Kind], f.item(o))
	}
	var s strings.Builder
	if list := clauses[ForbiddenCall]; len(list) > 0 {
		s.WriteString("Forbidden calls were made: " + join(list) + ". ")
	}
	v.Alignment.verdictSentence(&s, clauses)
	return cut(printable(s.String()), maxReason)
}

func (v Verdict) unscoredReason() string {
	if v.Why == "" {
		return "not scored: " + v.Status.String()
	}
	return v.Why
}

// verdictSentence says how many of the expected calls there are, and what about the others.
func (a *Alignment) verdictSentence(s *strings.Builder, clauses map[FindingKind][]string) {
	opening, good := a.opening()
	s.WriteString(opening)
	separator := ": "
	if good {
		separator = "; "
	}
	for kind := MissingCall; kind <= UnexpectedCall; kind++ {
		if list := clauses[kind]; len(list) > 0 {
			s.WriteString(separator + kind.intro() + join(list))
			separator = "; "
		}
	}
	for _, note := range a.Notes {
		s.WriteString(separator + note)
		separator = "; "
	}
	s.WriteByte('.')
}

// opening counts. good: there is nothing missing.
func (a *Alignment) opening() (text string, good bool) {
	expected := len(a.Expected) - len(a.Optional)
	matched := 0
	for _, p := range a.Pairs {
		if _, optional := slices.BinarySearch(a.Optional, p.Expected); !optional && p.Credit >= 1 {
			matched++
		}
	}
	order := ""
	if a.Ordered && expected > 1 {
		order = " in order"
	}
	switch {
	case expected == 0 && len(a.Called) == 0:
		return "No calls were expected and none were made", true
	case expected == 0:
		return "No calls were expected", true
	case matched < expected:
		return fmt.Sprintf("%d of %d expected calls matched", matched, expected), false
	case expected == 1:
		return "The expected call was made", true
	}
	return fmt.Sprintf("All %d expected calls were made%s", expected, order), true
}

func (k FindingKind) intro() string {
	return [...]string{
		"", "missing ", "wrong arguments: ", "wrong output: ", "wrong type: ", "out of order: ",
		"repeated call counted once: ", "not expected: ",
	}[k]
}

// item is a finding as one item of a clause: "search (3 times)", "refund_order (currency, lines[0].sku)".
func (f *Finding) item(o ReasonOptions) string {
	name := clean(f.Name)
	if name == "" {
		name = `""`
	}
	var details []string
	for _, d := range f.Differences {
		if text := d.text(o); text != "" {
			details = append(details, text)
		}
	}
	if f.Count > 1 {
		details = append(details, fmt.Sprintf("%d times", f.Count))
	}
	if len(details) == 0 {
		return name
	}
	return name + " (" + join(details) + ")"
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

// join lists items, and counts those it leaves out.
func join(items []string) string {
	if len(items) <= maxItems {
		return strings.Join(items, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(items[:maxItems], ", "), len(items)-maxItems)
}

// clean makes a name or value fit for a sentence.
func clean(s string) string {
	// One character is at most four bytes, so what is cut off first would not be shown anyway.
	return cut(printable(cut(s, 4*maxName)), maxName)
}

// printable is valid UTF-8, in one line, without characters that cannot be seen or that rearrange what can.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, s)
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
