package scoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// Unlimited, as the Max of a [Count], sets no upper bound.
const Unlimited = -1

// A Tool is one expected tool.
type Tool struct {
	// Name is the tool's name. In the native method a * matches any number of characters, also none.
	Name string
	// Names are alternatives to Name. If they are given, Name is empty. Native only.
	Names []string
	Type  ToolType
	// Arguments and Output are the expected payloads. The zero value matches any payload.
	Arguments, Output Payload
	// Match overrides the metric's argument mode for this tool. Native only; the zero value keeps the metric's mode.
	Match ArgumentMode
	// Count is how many calls are expected. Native only; the zero value is exactly one.
	Count Count
	// Optional tools may be called but need not be. Native only.
	Optional bool
	// IgnoreArguments lists paths of argument keys that are never compared: "request_id", "meta.*", "lines[*].id". A *
	// matches any characters. Native only.
	IgnoreArguments []string
	// ArgumentDefaults is an object. If a call lacks one of its keys, the call counts as if it had that default. Native
	// only.
	ArgumentDefaults Payload
	// Matchers say which values of some keys of the arguments agree. They need no Arguments. Native only.
	Matchers []Matcher
	// After names tools, or globs: a call matches only if it came after a call of each of them. Native only.
	After []string
	// Where is a condition that a call must also fulfil, or nil. Native only.
	Where Condition
}

// Count bounds how often a tool is expected. If Max is [Unlimited], or 0 with a Min above 0, there is no upper bound.
type Count struct{ Min, Max int }

// ExpectationSettings says what a run should do. [NewExpectation] checks it.
type ExpectationSettings struct {
	// Tools are the expected tools. A nil list states nothing: in the native method any calls are right, or those that are Allowed. An empty
	// list states that no tool is expected.
	Tools []Tool
	// AnyOf holds alternative lists of tools, instead of Tools. The list with the best score counts. Native only.
	AnyOf [][]Tool
	// Forbidden tools must not be called. If a forbidden tool states arguments, output or Where, it forbids only the calls
	// that match them. Its default Match is subset. If it is not known whether a call matches, the run is not scored.
	// Native only.
	Forbidden []Tool
	// MaxCalls is how many calls a run may have; nil sets no limit. Native only.
	MaxCalls *int
	// MaxCallsOf limits the calls of some tools. Native only.
	MaxCallsOf []CallLimit
	// MaxRepeats is how often a call may be made with the same name and arguments; 0 sets no limit. Native only.
	MaxRepeats int
	// Allowed names the tools, or globs, that may be called besides the expected ones. Calls of others lower the score. Nil allows all.
	// Native only.
	Allowed []string
	// Turns are what is expected of each turn of a conversation, in order. They replace all other fields.
	Turns []ExpectationSettings
	// AllTurns makes the score 1 if every turn passes, and 0 otherwise. By default it is the mean of the turns' scores.
	AllTurns bool
}

// An Expectation says what a run should do. Only [NewExpectation] makes one, so it is always valid.
// The zero value expects no tool. An Expectation is immutable and safe for concurrent use.
type Expectation struct {
	settings ExpectationSettings
	// plans holds the compiled Tools, or each list of AnyOf.
	plans []plan
	// forbidden are the compiled Forbidden tools.
	forbidden plan
	// conditions evaluates the conditions of the tools: see [Expectation.With]. first is the index of the first call that is judged.
	conditions Conditions
	first      int
	// turns are the compiled Turns.
	turns []*Expectation
	// sets make the plans for the option repeats: unique, whose lists are sets of names, or of names with arguments. They are nil if these
	// plans equal plans.
	sets struct{ ofNames, ofCalls func() []plan }
}

// NewExpectation checks the settings and compiles them for the native method. Its error joins one [Fault] for each broken
// rule.
func NewExpectation(s ExpectationSettings) (*Expectation, error) {
	s = s.clone()
	if faults := s.faults(); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	e := &Expectation{settings: s, forbidden: compile(s.Forbidden)}
	for i := range s.Turns {
		turn, _ := NewExpectation(s.Turns[i]) // it has no faults
		e.turns = append(e.turns, turn)
	}
	lists := s.lists()
	if s.Tools == nil && len(s.AnyOf)+len(s.Turns) == 0 {
		lists = [][]Tool{{s.anyCalls()}}
	}
	for _, list := range lists {
		e.plans = append(e.plans, compile(list))
		if len(list) > 1 || len(list) == 1 && list[0].Count.Min > 1 {
			e.sets.ofNames = sync.OnceValue(func() []plan { return e.compileSets(false) })
			e.sets.ofCalls = sync.OnceValue(func() []plan { return e.compileSets(true) })
		}
	}
	return e, nil
}

// clone copies all slices of the settings, because the caller may change its slices later.
func (s ExpectationSettings) clone() ExpectationSettings {
	s.Tools = cloneTools(s.Tools)
	s.Forbidden = cloneTools(s.Forbidden)
	s.MaxCallsOf = slices.Clone(s.MaxCallsOf)
	s.Allowed = slices.Clone(s.Allowed)
	s.AnyOf = slices.Clone(s.AnyOf)
	for i := range s.AnyOf {
		s.AnyOf[i] = cloneTools(s.AnyOf[i])
	}
	return s
}

func cloneTools(tools []Tool) []Tool {
	tools = slices.Clone(tools)
	for i := range tools {
		tools[i].Names = slices.Clone(tools[i].Names)
		tools[i].IgnoreArguments = slices.Clone(tools[i].IgnoreArguments)
		tools[i].After = slices.Clone(tools[i].After)
		tools[i].Matchers = slices.Clone(tools[i].Matchers)
		if len(tools[i].Matchers) > 0 && tools[i].Arguments == (Payload{}) {
			tools[i].Arguments = JSON("{}")
		}
	}
	return tools
}

// lists returns the alternative lists of tools. A run must fulfil one of them.
func (s *ExpectationSettings) lists() [][]Tool {
	if len(s.AnyOf) > 0 {
		return s.AnyOf
	}
	return [][]Tool{s.Tools}
}

// anyCalls is what settings expect that state no tools: any calls, of the allowed tools if some are named.
func (s *ExpectationSettings) anyCalls() Tool {
	t := Tool{Name: "*", Names: s.Allowed, Count: Count{Max: Unlimited}}
	if s.Allowed != nil {
		t.Name = ""
	}
	return t
}

// Tools returns the expected tools, or nil if none were given. The caller must not change the slice.
func (e *Expectation) Tools() []Tool { return e.settings.Tools }

// Forbidden returns the forbidden tools. The caller must not change the slice.
func (e *Expectation) Forbidden() []Tool {
	if e.turns == nil {
		return e.settings.Forbidden
	}
	return ofEach(e.turns, (*Expectation).Forbidden)
}

// Names returns the expected names in order, one for each required call. A tool with alternatives is "a|b", and a pattern
// stays as written. Optional tools are left out. If there are several lists of tools, the names are those of the first. The
// caller must not change the slice.
func (e *Expectation) Names() []string {
	if e.turns != nil {
		return ofEach(e.turns, (*Expectation).Names)
	}
	return e.lists()[0].labels
}

// Only returns the expectation with one of its lists of tools, counted from 0, and without the others. Forbidden tools stay
// forbidden. If there is no such list, it returns e.
func (e *Expectation) Only(list int) *Expectation {
	if len(e.plans) < 2 || list < 0 || list >= len(e.plans) {
		return e
	}
	only := *e
	only.settings.Tools, only.settings.AnyOf = e.settings.AnyOf[list], nil
	only.plans = e.plans[list : list+1]
	only.sets.ofNames, only.sets.ofCalls = nil, nil
	return &only
}

// OnlyForbidden returns an expectation that forbids what e forbids, and expects nothing.
func (e *Expectation) OnlyForbidden() *Expectation {
	only := &Expectation{settings: ExpectationSettings{Forbidden: e.settings.Forbidden}, forbidden: e.forbidden}
	for _, turn := range e.turns {
		only.turns = append(only.turns, turn.OnlyForbidden())
	}
	return only
}

// Compares reports which payloads the native method must read for this expectation, even if the method's options ignore
// them. The method also reads the payloads that [Method.Compares] reports.
func (e *Expectation) Compares() (arguments, output bool) {
	read := func(a, o bool) { arguments, output = arguments || a, output || o }
	read(e.settings.MaxRepeats > 0, false)
	for i := range e.plans {
		p := &e.plans[i]
		read(p.modes || p.whereArguments, p.whereOutput)
	}
	read(e.forbidden.arguments || e.forbidden.whereArguments, e.forbidden.output || e.forbidden.whereOutput)
	for _, turn := range e.turns {
		read(turn.Compares())
	}
	return arguments, output
}

// NativeOnly returns the configuration keys in use that only the native method understands: see [ExpectationSettings.NativeOnly].
func (e *Expectation) NativeOnly() []string { return e.settings.NativeOnly() }

// NativeOnly returns the configuration keys in use that only the native method understands, in a fixed order. A name with a
// * counts as the key "*". The settings need not be valid.
func (s *ExpectationSettings) NativeOnly() []string {
	if s.Turns != nil {
		keys := ofEach(s.Turns, func(turn ExpectationSettings) []string { return turn.NativeOnly() })
		slices.Sort(keys)
		return slices.Compact(keys)
	}
	tools := slices.Concat(s.lists()...)
	uses := func(feature func(Tool) bool) bool { return slices.ContainsFunc(tools, feature) }
	var keys []string
	for _, k := range []struct {
		key  string
		used bool
	}{
		{"any_of", len(s.AnyOf) > 0 || uses(func(t Tool) bool { return len(t.Names) > 0 })},
		{"count", uses(func(t Tool) bool { return t.Count != Count{} })},
		{"optional", uses(func(t Tool) bool { return t.Optional })},
		{"arguments_match", uses(func(t Tool) bool { return t.Match != ArgumentsUnset })},
		{"ignore_arguments", uses(func(t Tool) bool { return len(t.IgnoreArguments) > 0 })},
		{"argument_defaults", uses(func(t Tool) bool { return t.ArgumentDefaults != Payload{} })},
		{"matchers", uses(func(t Tool) bool { return len(t.Matchers) > 0 })},
		{"after", uses(func(t Tool) bool { return len(t.After) > 0 })},
		{"where", uses(func(t Tool) bool { return t.Where != nil })},
		{"*", uses(func(t Tool) bool { return slices.ContainsFunc(t.alternatives(), names.IsPattern) })},
		{"forbidden", len(s.Forbidden) > 0},
		{"max_calls", s.MaxCalls != nil || len(s.MaxCallsOf) > 0},
		{"max_repeats", s.MaxRepeats > 0},
		{"allowed", s.Allowed != nil},
	} {
		if k.used {
			keys = append(keys, k.key)
		}
	}
	return keys
}

const (
	// maxCount bounds the count of one tool, maxExpected the sum of the counts of a list, and maxAnyOf the sum of all lists.
	// They bound the size of an alignment, and of all lists, before any run is scored.
	maxCount    = 1000
	maxExpected = 50_000
	maxAnyOf    = 10 * maxExpected
)

// A Fault is one rule that an expectation's settings break.
type Fault struct {
	// Path is the configuration key that breaks the rule: "tools[2].count". It is empty for the whole expectation.
	Path string
	// Rule is a clause that follows the path: "must not be empty".
	Rule string
}

func (f Fault) Error() string {
	if f.Path == "" {
		return f.Rule
	}
	return f.Path + ": " + f.Rule
}

// faults returns a Fault for each broken rule, in the order of the configuration.
func (s *ExpectationSettings) faults() []error {
	c := checker{work: names.Budget(maxWork)}
	nothing := s.Tools == nil && len(s.AnyOf) == 0 && len(s.Forbidden) == 0 && s.MaxCalls == nil && len(s.MaxCallsOf) == 0 && s.MaxRepeats == 0 &&
		s.Allowed == nil
	if len(s.Turns) > 0 {
		c.want(len(s.Turns) <= maxTurns, "turns", "are %d, more than %d", len(s.Turns), maxTurns)
		for i := range s.Turns {
			c.element("turns", i, func() {
				if len(s.Turns[i].Turns) > 0 {
					c.add("turns", "must not be in a turn")
				} else {
					c.faults = append(c.faults, s.Turns[i].faults()...)
				}
			})
		}
		c.want(nothing, "turns", "must not be combined with other keys")
		return c.faults
	}
	c.want(!nothing, "", "says nothing: give `tools`, `any_of`, `forbidden`, `allowed`, `max_calls` or `max_repeats`")
	c.want(s.Tools == nil || len(s.AnyOf) == 0, "any_of", "must not be combined with `tools`")
	c.list("tools", s.Tools)
	total := 0
	for i, list := range s.AnyOf {
		total += c.list(fmt.Sprintf("any_of[%d]", i), list)
	}
	c.want(len(s.AnyOf) < 2 || total <= maxAnyOf, "any_of", "asks for %d calls in all, more than %d", total, maxAnyOf)
	for i := range s.Forbidden {
		c.element("forbidden", i, func() {
			t := &s.Forbidden[i]
			c.anyTool(t)
			c.want(t.Count == Count{}, "count", "has no meaning for a forbidden tool")
			c.want(!t.Optional, "optional", "has no meaning for a forbidden tool")
		})
	}
	c.conflicts(s)
	c.limits(s)
	c.want(!c.work.Spent(), "", "has too many names to be compared with each other")
	return c.faults
}

// A checker collects faults. work is the budget for comparing names with each other.
type checker struct {
	faults []error
	work   names.Budget
}

func (c *checker) add(path, rule string, args ...any) {
	c.faults = append(c.faults, Fault{Path: path, Rule: fmt.Sprintf(rule, args...)})
}

// want adds a fault unless ok.
func (c *checker) want(ok bool, path, rule string, args ...any) {
	if !ok {
		c.add(path, rule, args...)
	}
}

// element puts an element of a list before the paths of the faults that check adds. Only then it is formatted, because millions of expectations
// may be checked.
func (c *checker) element(list string, index int, check func()) {
	since := len(c.faults)
	check()
	for i, err := range c.faults[since:] {
		f, _ := errors.AsType[Fault](err)
		f.Path = strings.TrimSuffix(fmt.Sprintf("%s[%d].%s", list, index, f.Path), ".")
		c.faults[since+i] = f
	}
}

// list adds faults of a list, and returns how many calls it asks for.
func (c *checker) list(path string, tools []Tool) (total int) {
	for i := range tools {
		c.element(path, i, func() { c.tool(&tools[i]) })
		n := tools[i].needs()
		total += min(max(n.Least, n.Most), maxCount)
	}
	c.want(total <= maxExpected, path, "asks for %d calls, more than %d", total, maxExpected)
	return total
}

// tool adds faults of an expected tool.
func (c *checker) tool(t *Tool) {
	c.anyTool(t)
	n := t.Count
	c.want(n.Min >= 0, "count", "min must not be negative, is %d", n.Min)
	c.want(n.Max >= Unlimited, "count", "max must not be negative, is %d", n.Max)
	c.want(n.Min <= maxCount && n.Max <= maxCount, "count", "must not exceed %d", maxCount)
	c.want(n.Max <= 0 || n.Max >= n.Min, "count", "max %d is less than min %d", n.Max, n.Min)
	c.want(!t.Optional || n.Min <= 0, "count", "min %d contradicts `optional`", n.Min)
}

// anyTool adds faults of what expected and forbidden tools have in common.
func (c *checker) anyTool(t *Tool) {
	c.want(t.Name != "" || len(t.Names) > 0, "name", "must not be empty")
	c.want(t.Name == "" || len(t.Names) == 0, "any_of", "must not be combined with `name`")
	c.noneEmpty("any_of", t.Names)
	const tooLargeToCompare = "is too large to be compared"
	c.want(t.Arguments.form != tooLarge, "arguments", tooLargeToCompare)
	c.want(t.Output.form != tooLarge, "output", tooLargeToCompare)
	c.want(known(t.Match), "arguments_match", "is unknown")
	c.want(t.Match == ArgumentsUnset || t.Arguments != Payload{}, "arguments_match", "needs `arguments` to compare")
	c.noneEmpty("ignore_arguments", t.IgnoreArguments)
	c.noneEmpty("after", t.After)
	c.matchers(t)
	c.want(len(t.IgnoreArguments) == 0 || t.Arguments != Payload{}, "ignore_arguments", "needs `arguments` to compare")
	none := t.ArgumentDefaults == Payload{}
	c.want(none || t.Arguments != Payload{}, "argument_defaults", "needs `arguments` to compare")
	c.want(none || t.ArgumentDefaults.IsObject(), "argument_defaults", "must be an object")
}

// noneEmpty adds a fault for each text that is empty.
func (c *checker) noneEmpty(list string, texts []string) {
	for i, text := range texts {
		if text == "" {
			c.add(fmt.Sprintf("%s[%d]", list, i), "must not be empty")
		}
	}
}

// conflicts adds a fault for each rule that no run could fulfil.
func (c *checker) conflicts(s *ExpectationSettings) {
	if s.MaxCalls != nil {
		c.want(*s.MaxCalls >= 0, "max_calls", "must not be negative, is %d", *s.MaxCalls)
	}
	c.want(s.MaxRepeats >= 0, "max_repeats", "must be at least 1, is %d", s.MaxRepeats)
	c.noneEmpty("allowed", s.Allowed)
	for i, list := range s.lists() {
		path := "tools"
		if len(s.AnyOf) > 0 {
			path = fmt.Sprintf("any_of[%d]", i)
		}
		least := 0
		for j := range list {
			least += list[j].needs().Least
			c.element(path, j, func() { c.ruledOut(&list[j], s.Forbidden) })
		}
		if s.MaxCalls != nil && *s.MaxCalls >= 0 && least > *s.MaxCalls {
			c.add("max_calls", "is %d, but %s asks for %d", *s.MaxCalls, path, least)
		}
	}
}

// ruledOut finds a required tool that is forbidden under each of its names. A tool that is forbidden only with certain
// arguments or under a condition does not count, because other calls of it are allowed.
func (c *checker) ruledOut(t *Tool, forbidden []Tool) {
	if len(forbidden) == 0 || t.needs().Least <= 0 || c.work.Spent() {
		return
	}
	open := func(name string) bool {
		return !slices.ContainsFunc(forbidden, func(f Tool) bool { return f.isBare() && f.has(name, &c.work) })
	}
	c.want(slices.ContainsFunc(t.alternatives(), open), "", "%q is required and forbidden", t.label())
}

// limits adds a fault for each limit that is invalid, or that a list of tools cannot keep.
func (c *checker) limits(s *ExpectationSettings) {
	for _, limit := range s.MaxCallsOf {
		path := fmt.Sprintf("max_calls[%q]", limit.Name)
		c.want(limit.Name != "", path, "must have a name")
		c.want(limit.Max >= 0, path, "must not be negative, is %d", limit.Max)
		for _, list := range s.lists() {
			least := 0
			for i := 0; i < len(list) && !c.work.Spent(); i++ {
				other := func(name string) bool { return !c.work.Match(limit.Name, name) }
				if !slices.ContainsFunc(list[i].alternatives(), other) {
					least += list[i].needs().Least
				}
			}
			if limit.Max >= 0 && least > limit.Max {
				c.add(path, "is %d, but the expected tools ask for %d", limit.Max, least)
				break
			}
		}
	}
}
