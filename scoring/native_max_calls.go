package scoring

import (
	"fmt"
	"slices"
)

// A CallLimit bounds the calls of the tools with a name, in which a * matches any characters.
type CallLimit struct {
	Name string
	Max  int
}

// brokenLimits returns a clause for each limit that the run exceeds. If the work is spent, it may lack some.
func (w *nativeRun) brokenLimits(s *ExpectationSettings) (broken []string) {
	if s.MaxCalls > 0 && len(w.calls) > s.MaxCalls {
		broken = append(broken, tooManyCalls(s.MaxCalls, len(w.calls)))
	}
	if len(s.MaxCallsOf) == 0 {
		return broken
	}
	w.tally.Begin(len(w.calls), len(s.MaxCallsOf))
	for i := range w.calls {
		w.tally.Add(w.calls[i].Name)
	}
	for _, limit := range s.MaxCallsOf {
		made := w.tally.Of(limit.Name, &w.work)
		if made > limit.Max && len(broken) < maxItems {
			broken = append(broken, fmt.Sprintf("%s of %s, at most %s allowed", calls(made), clean(limit.Name), counted(limit.Max, "")))
		}
	}
	return broken
}

// limits adds a fault for each limit that is invalid, or that a list of tools cannot keep.
func (c *checker) limits(s *ExpectationSettings) {
	for _, limit := range s.MaxCallsOf {
		path := fmt.Sprintf("max_calls[%q]", limit.Name)
		c.want(limit.Name != "", path, "must have a name")
		c.want(limit.Max > 0, path, "must be at least 1, is %d (a tool that must not be called belongs under `forbidden`)", limit.Max)
		for _, list := range s.lists() {
			least := 0
			for i := 0; i < len(list) && !c.work.Spent(); i++ {
				other := func(name string) bool { return !c.matches(limit.Name, name) }
				if !slices.ContainsFunc(list[i].alternatives(), other) {
					least += list[i].needs().Least
				}
			}
			if limit.Max > 0 && least > limit.Max {
				c.add(path, "is %d, but the expected tools ask for %d", limit.Max, least)
				break
			}
		}
	}
}
