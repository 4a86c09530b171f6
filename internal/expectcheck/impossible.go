package expectcheck

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// impossible lists what no run can fulfil: conditions that hold on no call, tools whose calls are excluded, and more calls
// than a run keeps.
func (l Limits) impossible(place string, x *scoring.ExpectationSettings) (warnings []string) {
	warn := func(path, rule string, args ...any) {
		warnings = append(warnings, fmt.Sprintf("%s.%s: ", place, path)+fmt.Sprintf(rule, args...))
	}
	for i := range x.Forbidden {
		path := fmt.Sprintf("forbidden[%d]", i)
		if why := never(&x.Forbidden[i]); why != "" {
			warn(path, "it forbids nothing: its `where` never holds: %s", why)
		}
		if by := l.leavesOut(&x.Forbidden[i]); by != "" {
			warn(path, "it forbids nothing: calls.exclude leaves out all of its calls, by %q", by)
		}
	}
	list := func(path string, tools []scoring.Tool) {
		for i := range tools {
			tool := fmt.Sprintf("%s[%d]", path, i)
			if why := never(&tools[i]); why != "" {
				warn(tool, "no call matches it: its `where` never holds: %s", why)
			}
			if by := l.leavesOut(&tools[i]); by != "" {
				warn(tool, "no call matches it: calls.exclude leaves out all of its calls, by %q", by)
			}
		}
		if n := leastCalls(tools); n > l.CallsPerRun {
			warn(path, "%d calls are required, and limits.calls_per_run keeps %d of a run", n, l.CallsPerRun)
		}
	}
	list("tools", x.Tools)
	for i := range x.AnyOf {
		list(fmt.Sprintf("any_of[%d]", i), x.AnyOf[i])
	}
	return warnings
}

// never says why the condition of a tool holds on no call. It is empty if the tool has none.
func never(t *scoring.Tool) string {
	if t.Where == nil {
		return ""
	}
	return conditions.Never(t.Where.String())
}

// leavesOut is the pattern of calls.exclude that leaves out every call that a tool could match, or the last of several. It is
// empty if some name is left. A * in a name matches what a * of the pattern matches, so it is compared like any character.
func (l Limits) leavesOut(t *scoring.Tool) (by string) {
	names := t.Names
	if len(names) == 0 {
		names = []string{t.Name}
	}
	for _, name := range names {
		i := slices.IndexFunc(l.Exclude, func(pattern string) bool { return scoring.MatchesName(pattern, name) })
		if i < 0 {
			return ""
		}
		by = l.Exclude[i]
	}
	return by
}

// leastCalls is how many calls a list of tools requires.
func leastCalls(tools []scoring.Tool) (n int) {
	for i := range tools {
		switch t := &tools[i]; {
		case t.Count != scoring.Count{}:
			n += t.Count.Min
		case !t.Optional:
			n++
		}
	}
	return n
}
