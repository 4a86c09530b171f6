package scoring

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A plan is a list of tools, compiled for the native method.
//
// Its shape has a row for each expected call. A tool with a count has several rows. Tools with equal names, payloads and
// modes are one class, so that each call is compared once for all of them: see package match.
//
// A plan is compiled once. Several metrics share it, so it must not depend on the options of any of them.
type plan struct {
	shape   match.Shape
	classes []toolClass // of the shape
	tools   []*Tool     // by row
	// index finds the classes that match a name.
	index names.Index
	// required holds the tool of each required row, and labels its name.
	required []*Tool
	labels   []string
	// distinct: the name of a call determines its class.
	distinct bool
	// arguments, output, after and where: a tool states some. modes: a tool has a mode for its arguments. whereArguments and whereOutput: a
	// condition reads them.
	arguments, output, after, where, modes, whereArguments, whereOutput bool
}

// A toolClass holds what all tools of a class have in common.
type toolClass struct {
	tool      *Tool
	arguments Value
	output    output
	tolerance *tolerance // nil for none
	rules     string     // equal for equal tolerances
	bare      bool       // see [Tool.isBare]
}

// needs returns the number of calls that the tool's Count and Optional allow.
func (t *Tool) needs() match.Needs {
	n := match.Needs{Least: t.Count.Min, Most: t.Count.Max, Endless: t.Count.Max == Unlimited || t.Count.Max == 0}
	if t.Count == (Count{}) {
		n = match.Needs{Least: 1, Most: 1}
	}
	if t.Optional {
		n.Least = 0
	}
	if n.Endless {
		n.Most = n.Least
	}
	return n
}

// isBare reports whether the tool states nothing but a name.
func (t *Tool) isBare() bool {
	return t.Arguments == Payload{} && t.Output == Payload{} && t.Where == nil && len(t.After) == 0
}

// A classKey is equal for tools of the same class.
type classKey struct {
	names             string
	several           bool // names is a list
	arguments, output Payload
	match             ArgumentMode
	where             string
	rules             string // ignored keys, defaults, matchers and what is to come before
}

func classKeyOf(t *Tool) classKey {
	key := classKey{
		names: t.label(), several: len(t.Names) > 1, arguments: t.Arguments, output: t.Output, match: t.Match, where: t.whereText(),
	}
	if key.several {
		key.names = fmt.Sprintf("%q", t.Names)
	}
	if t.tolerant() || len(t.After) > 0 {
		key.rules = fmt.Sprintf("%q %q %#v %#v", t.IgnoreArguments, t.After, t.Matchers, t.ArgumentDefaults)
	}
	return key
}

func compile(tools []Tool) plan {
	p := plan{distinct: true, classes: make([]toolClass, 0, len(tools)), tools: make([]*Tool, 0, len(tools))}
	classes := make(map[classKey]int32, len(tools))
	for i := range tools {
		t := &tools[i]
		key := classKeyOf(t)
		k, ok := classes[key]
		if !ok {
			k = p.addClass(t, key.rules)
			classes[key] = k
		}
		from := len(p.shape.Rows)
		p.shape.AddRows(k, t.needs())
		for _, r := range p.shape.Rows[from:] {
			p.tools = append(p.tools, t)
			if r.Need == match.Required {
				p.required, p.labels = append(p.required, t), append(p.labels, t.label())
			}
		}
	}
	p.shape.Index()
	// Verdicts share the list, so append must copy it.
	p.required = slices.Clip(p.required)
	return p
}

func (p *plan) addClass(t *Tool, rules string) (number int32) {
	p.arguments, p.output, p.after = p.arguments || t.Arguments != Payload{}, p.output || t.Output != Payload{}, p.after || len(t.After) > 0
	p.where, p.modes = p.where || t.Where != nil, p.modes || t.Match > ArgumentsIgnore
	arguments, output := t.whereReads()
	p.whereArguments, p.whereOutput = p.whereArguments || arguments, p.whereOutput || output
	k := toolClass{tool: t, rules: rules, bare: t.isBare()}
	k.arguments, _ = t.Arguments.Value()
	k.tolerance, k.arguments = t.tolerance(orEmptyObject(k.arguments), false)
	v, _ := t.Output.Value()
	k.output = wantedOutput(t.Output, v)
	p.classes = append(p.classes, k)
	number = p.shape.AddClass()
	alternatives := slices.Clone(t.alternatives())
	slices.Sort(alternatives)
	for _, name := range slices.Compact(alternatives) {
		p.distinct = p.index.Add(name, number) && p.distinct
	}
	return number
}

// MatchesName reports whether the pattern matches a tool's name. Each * matches any number of characters, also none. The
// work grows with the sum of their lengths.
func MatchesName(pattern, name string) bool { return names.Match(pattern, name) }

// has reports whether the tool has that name, or a pattern that matches it. If the work is spent, it has no name.
func (t *Tool) has(name string, work *names.Budget) bool {
	return slices.ContainsFunc(t.alternatives(), func(pattern string) bool { return work.Match(pattern, name) })
}

// label returns the tool's name in a reason, such as "search|lookup".
func (t *Tool) label() string { return strings.Join(t.alternatives(), "|") }

// alternatives returns the tool's names and patterns. A call must match one of them.
func (t *Tool) alternatives() []string {
	if len(t.Names) == 0 {
		return []string{t.Name}
	}
	return t.Names
}
