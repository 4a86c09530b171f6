package scoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// GalteaOptions say which differences in how names are written do not count. Galtea does not publish its own list.
type GalteaOptions struct {
	// StripPrefixes are removed from names: of those that a name begins with the first listed, once.
	StripPrefixes []string
	// TrimSpace removes spaces around a name, before any prefix.
	TrimSpace bool
}

// DefaultGaltea compares names as they are written.
func DefaultGaltea() GalteaOptions { return GalteaOptions{} }

// Galtea scores as Galtea documents its Tool Correctness: 1 where the same tools were expected and called, else 0.
// Order, repeats, arguments and output do not count. The implementation is closed, so it may differ from this.
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

// Compares says that no payload is read.
func (*Galtea) Compares() (arguments, output bool) { return false, false }

func (*Galtea) sealed() {}

// galteaThreshold is not Galtea's, which has none: the score is 0 or 1, and 1 passes.
const galteaThreshold = 1

// Judge scores the run. Missing lists count as empty. In the alignment each tool stands once, and calls of a tool
// after its first are repeats.
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

// A galteaName is what is known of a name: its first call, and then that it is expected.
type galteaName struct {
	first    int
	expected bool
}

// canonical is a name without what does not count.
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
