package scoring

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

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
