package scoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// GalteaOptions say how names are normalized before they are compared. Galtea does not publish its own rules.
type GalteaOptions struct {
	// StripPrefixes are removed from names. Each name loses the first listed prefix that it has, once.
	StripPrefixes []string
	// TrimSpace removes spaces around a name, before any prefix.
	TrimSpace bool
}

// DefaultGaltea returns options that compare names as they are written.
func DefaultGaltea() GalteaOptions { return GalteaOptions{} }

// Galtea scores as Galtea documents its Tool Correctness: 1 if the expected and the called names are the same set, else 0.
// Galtea's implementation is closed, so it may differ.
type Galtea struct{ options GalteaOptions }

// NewGaltea checks the options. Its error joins one [Fault] for each that is wrong.
func NewGaltea(o GalteaOptions) (*Galtea, error) {
	var c checker
	for i, prefix := range o.StripPrefixes {
		c.want(prefix != "", fmt.Sprintf("strip_prefixes[%d]", i), "must not be empty")
	}
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	o.StripPrefixes = slices.Clone(o.StripPrefixes)
	return &Galtea{o}, nil
}

// Name returns "galtea".
func (*Galtea) Name() string { return "galtea" }

// Compares reports that no payload is read.
func (*Galtea) Compares() (arguments, output bool) { return false, false }

func (*Galtea) sealed() {}

// galteaThreshold: Galtea has no threshold. The score is 0 or 1, and 1 passes.
const galteaThreshold = 1

// Judge scores the run. Missing lists count as empty. The alignment has each tool once, and all calls of a tool except the
// first are repeats.
func (g *Galtea) Judge(e *Expectation, calls []Call) Verdict {
	tools := e.pointers()
	a := Alignment{Called: calls, Expected: make([]*Tool, 0, len(tools)), Pairs: make([]Pair, 0, len(tools))}
	names := make(map[string]galteaName, len(calls))
	for j := range calls {
		name := g.canonical(calls[j].Name)
		if _, again := names[name]; again {
			a.Repeats = append(a.Repeats, j)
		} else {
			names[name] = galteaName{first: j}
		}
	}
	called := len(names)
	for _, tool := range tools {
		name := g.canonical(tool.Name)
		found, ok := names[name]
		if found.expected {
			continue
		}
		if ok {
			a.Pairs = append(a.Pairs, Pair{Expected: len(a.Expected), Called: found.first, Credit: 1})
		}
		names[name] = galteaName{expected: true}
		a.Expected = append(a.Expected, tool)
	}
	if len(a.Pairs) < called {
		a.Extra = ExtraForbidden
	}
	if len(a.Pairs) < len(a.Expected) || len(a.Pairs) < called {
		return scored(0, galteaThreshold, a)
	}
	return scored(1, galteaThreshold, a)
}

// A galteaName holds the first call of a name, and whether the name is expected.
type galteaName struct {
	first    int
	expected bool
}

// canonical returns the normalized name.
func (g *Galtea) canonical(name string) string {
	if g.options.TrimSpace {
		name = strings.Trim(name, " ")
	}
	for _, prefix := range g.options.StripPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}
