package scoring

import (
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/valuediff"
)

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
		"repeated call counted once: ", "", "not expected: ",
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
	for i := range f.Differences {
		if difference := f.Differences[i].text(w.options); difference != "" {
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

// text returns a difference in a few words, or "" if all of it is private.
func (d *Difference) text(o ReasonOptions) string {
	path := SafeName(d.Path, maxPath)
	switch {
	case !o.Values && d.Extra:
		return d.extraKeys()
	case !o.Values:
		return path
	}
	if path != "" {
		path += ": "
	}
	switch {
	case d.Missing:
		return path + "nothing instead of " + valuediff.Shown(d.Expected, maxValue)
	case d.Extra:
		return path + valuediff.Shown(d.Called, maxValue) + " instead of nothing"
	}
	return path + valuediff.Shown(d.Called, maxValue) + " instead of " + valuediff.Shown(d.Expected, maxValue)
}

// extraKeys returns the number of keys that only the call has. Their names may be private: a key may be a person's address.
func (d *Difference) extraKeys() string {
	if d.alike == 0 {
		return "" // the object's first difference counted them
	}
	text := strconv.Itoa(d.alike) + " unexpected keys"
	if d.alike == 1 {
		text = "1 unexpected key"
	}
	if d.under != "" {
		text += " in " + SafeName(d.under, maxPath)
	}
	return text
}
