package scoring

import (
	"fmt"
	"slices"
)

const (
	// maxCount is the largest count of one tool, and maxExpected the largest sum of the counts of a list. They bound the
	// size of an alignment before any run is scored.
	maxCount    = 1000
	maxExpected = 50_000
)

// A Fault is one rule that an expectation's settings break.
type Fault struct {
	// Path is the place of the rule's subject, as in a configuration: "tools[2].count". Empty for the whole expectation.
	Path string
	// Rule is the rule, as a clause that follows the path: "must not be empty".
	Rule string
}

func (f Fault) Error() string {
	if f.Path == "" {
		return f.Rule
	}
	return f.Path + ": " + f.Rule
}

// faults are a Fault for each broken rule, in the order of the configuration.
func (s *ExpectationSettings) faults() []error {
	var c checker
	if s.Tools == nil && len(s.AnyOf) == 0 && len(s.Forbidden) == 0 && s.MaxCalls == 0 && len(s.MaxCallsOf) == 0 {
		c.add("", "says nothing: give `tools`, `any_of`, `forbidden` or `max_calls`")
	}
	if s.Tools != nil && len(s.AnyOf) > 0 {
		c.add("any_of", "stands instead of `tools`, not beside it")
	}
	c.list("tools", s.Tools)
	for i, list := range s.AnyOf {
		c.list(fmt.Sprintf("any_of[%d]", i), list)
	}
	for i := range s.Forbidden {
		c.forbidden(fmt.Sprintf("forbidden[%d]", i), &s.Forbidden[i])
	}
	c.conflicts(s)
	c.limits(s)
	return c.faults
}

// A checker collects faults.
type checker struct{ faults []error }

func (c *checker) add(path, rule string, args ...any) {
	c.faults = append(c.faults, Fault{Path: path, Rule: fmt.Sprintf(rule, args...)})
}

// want adds a fault unless ok.
func (c *checker) want(ok bool, path, rule string, args ...any) {
	if !ok {
		c.add(path, rule, args...)
	}
}

func (c *checker) list(path string, tools []Tool) {
	total := 0
	for i := range tools {
		c.tool(fmt.Sprintf("%s[%d]", path, i), &tools[i])
		total += min(max(tools[i].needs().least, tools[i].needs().most), maxCount)
	}
	c.want(total <= maxExpected, path, "asks for %d calls, more than %d", total, maxExpected)
}

func (c *checker) tool(path string, t *Tool) {
	c.names(path, t)
	c.payload(path+".arguments", t.Arguments)
	c.payload(path+".output", t.Output)
	c.match(path, t)
	c.tolerance(path, t)
	c.count(path, t)
}

// tolerance adds faults of what is left out of a comparison of arguments, and filled in.
func (c *checker) tolerance(path string, t *Tool) {
	for i, pattern := range t.IgnoreArguments {
		c.want(pattern != "", fmt.Sprintf("%s.ignore_arguments[%d]", path, i), "must not be empty")
	}
	c.want(len(t.IgnoreArguments) == 0 || t.Arguments != Payload{}, path+".ignore_arguments", "needs `arguments` to compare")
	if t.ArgumentDefaults == (Payload{}) {
		return
	}
	c.want(t.Arguments != Payload{}, path+".argument_defaults", "needs `arguments` to compare")
	c.want(t.ArgumentDefaults.IsObject(), path+".argument_defaults", "must be an object")
}

func (c *checker) names(path string, t *Tool) {
	switch {
	case len(t.Names) == 0:
		c.want(t.Name != "", path+".name", "must not be empty")
	case t.Name != "":
		c.add(path+".any_of", "stands instead of `name`, not beside it")
	}
	for i, name := range t.Names {
		c.want(name != "", fmt.Sprintf("%s.any_of[%d]", path, i), "must not be empty")
	}
}

// payload adds a fault for a payload that can never be compared.
func (c *checker) payload(path string, p Payload) {
	c.want(p.form != tooLarge, path, "is too large to be compared")
}

func (c *checker) match(path string, t *Tool) {
	path += ".arguments_match"
	c.want(known(argumentWords, t.Match), path, "is unknown")
	c.want(t.Match == ArgumentsUnset || t.Arguments != Payload{}, path, "needs `arguments` to compare")
}

func (c *checker) count(path string, t *Tool) {
	path += ".count"
	n := t.Count
	c.want(n.Min >= 0, path, "min must not be negative, is %d", n.Min)
	c.want(n.Max >= Unlimited, path, "max must not be negative, is %d", n.Max)
	c.want(n.Min <= maxCount && n.Max <= maxCount, path, "must not exceed %d", maxCount)
	c.want(n.Max <= 0 || n.Max >= n.Min, path, "max %d is less than min %d", n.Max, n.Min)
	c.want(!t.Optional || n.Min <= 0, path, "min %d contradicts `optional`", n.Min)
}

func (c *checker) forbidden(path string, t *Tool) {
	c.names(path, t)
	c.payload(path+".arguments", t.Arguments)
	c.payload(path+".output", t.Output)
	c.match(path, t)
	c.tolerance(path, t)
	c.want(t.Count == Count{}, path+".count", "has no meaning for a forbidden tool")
	c.want(!t.Optional, path+".optional", "has no meaning for a forbidden tool")
}

// conflicts adds a fault for each demand that no run could meet.
func (c *checker) conflicts(s *ExpectationSettings) {
	c.want(s.MaxCalls >= 0, "max_calls", "must not be negative, is %d", s.MaxCalls)
	for i, list := range s.lists() {
		path := "tools"
		if len(s.AnyOf) > 0 {
			path = fmt.Sprintf("any_of[%d]", i)
		}
		least := 0
		for j := range list {
			least += list[j].needs().least
			c.ruledOut(fmt.Sprintf("%s[%d]", path, j), &list[j], s.Forbidden)
		}
		c.want(s.MaxCalls <= 0 || least <= s.MaxCalls, "max_calls", "is %d, but %s asks for %d", s.MaxCalls, path, least)
	}
}

// ruledOut finds a required tool that is forbidden under each of its names. A tool that is forbidden with certain arguments
// or under a condition does not count, because it may be called otherwise.
func (c *checker) ruledOut(path string, t *Tool, forbidden []Tool) {
	if t.needs().least <= 0 {
		return
	}
	banned := func(name string) bool {
		return slices.ContainsFunc(forbidden, func(f Tool) bool {
			return f.Arguments == Payload{} && f.Output == Payload{} && f.Where == nil && f.names(name)
		})
	}
	open := slices.ContainsFunc(t.alternatives(), func(name string) bool { return !banned(name) })
	c.want(open, path, "%q is required and forbidden", t.label())
}
