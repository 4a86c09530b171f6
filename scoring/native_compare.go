package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
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

// full is the credit of a pair that agrees completely.
const full = match.Full

const (
	// maxWork bounds the steps of comparing names with patterns, payloads with payloads, and calls with lists of tools. A step is
	// about a byte. A span may write the expected tools.
	maxWork = 1 << 28
	// perCall is the number of steps that a call takes for each list of tools, and for each tool of its name.
	perCall = 64
)

const tooMuchWork = "comparing the calls with the expected tools takes too many steps"

// compare computes the credits of a plan. If a credit cannot be computed, it returns why, else "".
//
// The outer loop is over calls, the inner one over the classes of the call's name. So each call is decoded at most once,
// and only one decoded call is in memory. Expected values were decoded with the plan.
func (w *nativeRun) compare(p *plan) string {
	w.edges.Reset()
	for j := range w.calls {
		if len(w.forbidden) > 0 && w.isForbidden(w.inRun(j)) {
			continue
		}
		w.work.Spend(perCall)
		for _, k := range p.index.Of(w.calls[j].Name, &w.found, &w.work) {
			w.work.Spend(perCall)
			switch credit, why := w.credit(&p.classes[k], j); {
			case w.work.Spent():
				return tooMuchWork
			case why != "":
				return why
			case credit > 0:
				w.edges.Add(k, int32(j), credit)
			}
		}
		if w.work.Spent() {
			return tooMuchWork
		}
	}
	return ""
}

// credit returns the credit of call j, which has the right name, in a class, or why it is not known.
func (w *nativeRun) credit(k *toolClass, j int) (credit int64, why string) {
	if w.namesOnly || k.bare {
		return full, ""
	}
	call := &w.calls[j]
	credit, why = w.agreed(cmp.Or(k.tool.Match, w.options.Arguments), k, call, false)
	if why = w.unlessDecided(why); why != "" || credit == 0 {
		return 0, why
	}
	if k.tool.Output != (Payload{}) && w.options.Output != OutputIgnore {
		agrees, why := w.outputAgrees(k, call, w.options.Output.equal())
		if why = w.unlessDecided(why); why != "" || !agrees {
			return 0, why
		}
	}
	result, why := w.fulfils(k.tool, j)
	if why = w.unlessDecided(why); why != "" || result == ConditionUnmet || result == ConditionFailed {
		return 0, why
	}
	return credit, ""
}

// unlessDecided returns why a credit is not known, unless the score is 0 already. Then what is not known counts as equal, so that the
// alignment shows the other faults.
func (w *nativeRun) unlessDecided(why string) string {
	if !w.decided {
		return why
	}
	w.a.Guessed = w.a.Guessed || why != ""
	return ""
}

// agreed returns the credit of a call's arguments in a class. If that is not known, it returns full, and why. It spends a step for each
// byte. If the work is spent, it returns any credit. forbidden: arguments that are no object are not known to differ from one.
func (w *nativeRun) agreed(m ArgumentMode, k *toolClass, c *Call, forbidden bool) (credit int64, why string) {
	anyAgree := m.ignoresExtra(w.options.Credit) && k.arguments.Kind() == Object && k.arguments.Len() == 0
	if k.tool.Arguments == (Payload{}) || m == ArgumentsIgnore || anyAgree {
		return full, "" // even if they were not captured
	}
	called, why := w.arguments.read(argumentsPart, c.Name, c.Arguments)
	if why == "" && forbidden && k.arguments.Kind() == Object {
		called, why = w.arguments.object(c, called)
	}
	if why != "" {
		return full, why
	}
	w.work.Spend(k.tool.Arguments.Size() + c.Arguments.Size())
	called = w.tolerate(k, c.Arguments, orEmptyObject(called))
	credit = w.options.compareArguments(m, k.expected(m, w.options.Credit), called, &w.texts)
	if w.texts.Spent() {
		return full, fmt.Sprintf("the texts in the arguments of %s take too long to compare", quoted(c.Name))
	}
	return credit, ""
}

// outputAgrees reports whether the output of a call agrees with a class. If that is not known, it returns true, and why. It spends a step for
// each byte.
func (w *nativeRun) outputAgrees(k *toolClass, c *Call, equal compare.Equality) (agrees bool, why string) {
	w.work.Spend(k.tool.Output.Size() + c.Output.Size())
	called, why := w.output.read(outputPart, c.Name, c.Output)
	if why != "" {
		return true, why
	}
	out := outputOf(c.Output, called)
	return k.output.Agrees(&out, equal), ""
}

// equal returns the comparison of the mode.
func (m OutputMode) equal() compare.Equality {
	if m == OutputSubset {
		return compare.Within
	}
	return Equal
}

// ignoresExtra reports whether keys that only the call has do not count.
func (m ArgumentMode) ignoresExtra(c Credit) bool {
	return m == ArgumentsSubset || m == ArgumentsFuzzy || m == ArgumentsPartial && c == CreditExpected
}

// compareArguments returns the credit of called arguments, from 0 to full. The caller must discard it if texts is spent
// afterwards.
func (o *NativeOptions) compareArguments(m ArgumentMode, expected, called Value, texts *names.Budget) int64 {
	agree := true
	switch m {
	case ArgumentsExact:
		agree = Equal(expected, called)
	case ArgumentsSubset:
		agree = compare.Within(expected, called)
	case ArgumentsSuperset:
		agree = compare.Within(called, expected)
	case ArgumentsPartial:
		return compare.Agreement(expected, called, o.Credit == CreditExpected, full)
	case ArgumentsFuzzy:
		agree = compare.Alike(expected, called, o.FuzzyThreshold, texts)
	}
	if agree {
		return full
	}
	return 0
}

// emptyObject is the value of arguments that are empty.
var emptyObject, _ = Decode("{}")

// orEmptyObject returns v, or an empty object if v is null. Telemetry writes both for a call without arguments.
func orEmptyObject(v Value) Value {
	if v.Kind() == Null {
		return emptyObject
	}
	return v
}

// A reader decodes payloads and reuses its memory. A value is valid until the next payload is read.
type reader struct {
	decoder Decoder
	payload Payload // that was read last
	value   Value
	problem error // why the payload is no JSON
}

// read decodes a payload once for all classes of a call. If the payload was not captured, the second result says so.
func (r *reader) read(what part, name string, p Payload) (Value, string) {
	if !p.Captured() {
		return Value{}, missingPayload(what, name, p)
	}
	if p != r.payload {
		r.payload = p
		r.value, r.problem = p.ValueIn(&r.decoder)
	}
	return r.value, ""
}

// object returns arguments that were read, if they are an object, or else why they cannot be compared with one. Null and a
// blank text are no arguments.
func (r *reader) object(c *Call, called Value) (Value, string) {
	var syntax *jsonvalue.SyntaxError
	switch {
	case called.Kind() == Object:
		return called, ""
	case called.Kind() == Null, strings.TrimSpace(c.Arguments.text) == "":
		return emptyObject, ""
	case errors.As(r.problem, &syntax) && syntax.Problem == jsonvalue.TooDeep:
		return called, argumentsPart.lost(c.Name, "too large to be compared")
	}
	return called, argumentsPart.lost(c.Name, "no JSON object")
}

// forget drops the text, so that it can be freed, and much memory.
func (r *reader) forget() {
	r.decoder.Forget()
	r.payload, r.value, r.problem = Payload{}, Value{}, nil
}

// A part is one of the two payloads of a call.
type part uint8

const (
	argumentsPart part = iota
	outputPart
)

// lost returns why a payload cannot be compared.
func (p part) lost(name, how string) string {
	return [...]string{"arguments", "output"}[p] + " of " + quoted(name) + [...]string{" were ", " was "}[p] + how
}

// of returns the payload that p names, of a tool or a call.
func (p part) of(arguments, output Payload) Payload { return [...]Payload{arguments, output}[p] }

// missingPayload says why a run is not evaluable if its score depends on p.
func missingPayload(what part, name string, p Payload) string {
	if p.form == tooLarge {
		return what.lost(name, "too large to be compared")
	}
	return what.lost(name, "not captured")
}
