package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Valid is a valid expectation of a list.
type Valid struct {
	Place   string            // where it stands, such as expectations[0]
	Metrics []evaluate.Metric // those that it is for
	When    string            // its condition, empty for every run
	Decides bool              // whether a run that meets the condition is judged, and not left to a later expectation
	Always  bool              // whether it judges every run

	// Settings and Expected say which tools are expected. Both are nil if they stand in an attribute or in a dataset.
	Settings *scoring.ExpectationSettings
	Expected *scoring.Expectation
}

// Limits are what a configuration leaves out of every run.
type Limits struct {
	// Exclude are names of tools, or globs with *, whose calls do not count.
	Exclude []string
	// CallsPerRun is how many calls of a run are kept.
	CallsPerRun int
}

// Warnings names settings that are allowed but probably not intended: unreachable or impossible expectations, metrics that pass
// every run, and settings that no metric reads.
func Warnings(list []Valid, limits Limits) []string {
	var warnings []string
	always := map[string]string{}     // the place of what judges every run, by metric
	earlier := map[[2]string]string{} // the place of what decides, by metric and condition
	for _, x := range list {
		why := x.reach(always, earlier)
		if never := conditions.Never(x.When); why == "" && never != "" {
			why = "its `when` never holds: " + never
		}
		if why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: %s", x.Place, why))
			continue
		}
		if x.Expected == nil {
			continue
		}
		warnings = append(warnings, limits.impossible(x.Place, x.Settings)...)
		for i := range x.Settings.Turns {
			warnings = append(warnings, limits.impossible(fmt.Sprintf("%s.turns[%d]", x.Place, i), &x.Settings.Turns[i])...)
		}
		for _, m := range x.Metrics {
			if passesAnything(x.Expected, m.Method) {
				warnings = append(warnings, fmt.Sprintf("%s: %s", x.Place, passing(x.Expected, m)))
			}
		}
		warnings = append(warnings, x.unread()...)
	}
	return warnings
}

// reach leaves the metrics that can use the expectation, and says why if there is none. A metric never uses an expectation behind
// one without `when`, or behind one with the same `when`: if that condition holds, the first is used; otherwise neither is.
func (x *Valid) reach(always map[string]string, earlier map[[2]string]string) (why string) {
	condition, repeats := conditions.Canonical(x.When)
	var left []evaluate.Metric
	var blocks, places []string // what prevents each metric
	for _, m := range x.Metrics {
		key := [2]string{m.Name, condition}
		by, rule := always[m.Name], "has no `when`"
		if by == "" && repeats {
			by, rule = earlier[key], "has the same `when`"
		}
		if by != "" {
			places = append(places, by+rule)
			blocks = append(blocks, fmt.Sprintf("for the metric %q, %s stands before it and %s", m.Name, by, rule))
			why = fmt.Sprintf("%s stands before it, is for the same metrics, and %s", by, rule)
			continue
		}
		left = append(left, m)
		if x.Decides {
			earlier[key] = x.Place
		}
		if x.Always {
			always[m.Name] = x.Place
		}
	}
	x.Metrics = left
	switch {
	case len(left) > 0:
		return ""
	case len(slices.Compact(places)) > 1:
		return strings.Join(blocks, "; ")
	}
	return why
}

// impossible lists what no run can fulfil: conditions that hold on no call, tools whose calls are excluded, and more calls than a run
// keeps.
func (l Limits) impossible(place string, x *scoring.ExpectationSettings) (warnings []string) {
	warn := func(path, rule string, args ...any) {
		warnings = append(warnings, fmt.Sprintf("%s.%s: ", place, path)+fmt.Sprintf(rule, args...))
	}
	list := func(path, effect string, tools []scoring.Tool) {
		for i := range tools {
			tool := fmt.Sprintf("%s[%d]", path, i)
			if tools[i].Where != nil {
				if why := conditions.Never(tools[i].Where.String()); why != "" {
					warn(tool, "%s: its `where` never holds: %s", effect, why)
				}
			}
			if by := l.leavesOut(&tools[i]); by != "" {
				warn(tool, "%s: calls.exclude leaves out all of its calls, by %q", effect, by)
			}
		}
	}
	list("forbidden", "it forbids nothing", x.Forbidden)
	required := func(path string, tools []scoring.Tool) {
		list(path, "no call matches it", tools)
		if n := leastCalls(tools); n > l.CallsPerRun {
			warn(path, "%d calls are required, and limits.calls_per_run keeps %d of a run", n, l.CallsPerRun)
		}
	}
	required("tools", x.Tools)
	for i := range x.AnyOf {
		required(fmt.Sprintf("any_of[%d]", i), x.AnyOf[i])
	}
	return warnings
}

// leavesOut is the pattern of calls.exclude that leaves out every call that a tool could match, or the last of several. It is empty if
// some name is left. A * in a name matches what a * of the pattern matches, so it is compared like any character.
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

// punishesMore reports whether a native metric scores lower if a tool is called more often than its count.max. Recall does not,
// because it counts required calls only.
func punishesMore(m scoring.Method) bool {
	native, ok := m.(*scoring.Native)
	if !ok {
		return false
	}
	o := native.Options()
	return o.Order == scoring.ExactOrder || o.ExtraCalls == scoring.ForbidExtraCalls || o.Score == scoring.Precision || o.Score == scoring.F1
}

// passesAnything reports whether a metric passes every run, because no call is required. A reference method treats all unexpected
// calls alike, so it is tried on a few runs.
func passesAnything(x *scoring.Expectation, m scoring.Method) bool {
	keys := x.NativeOnly()
	limits := func(key string) bool {
		return slices.Contains([]string{"forbidden", "allowed", "max_calls", "max_repeats"}, key)
	}
	if slices.ContainsFunc(keys, limits) || !RequiresNothing(x) {
		return false
	}
	if native, ok := m.(*scoring.Native); ok {
		return native.Options().Threshold == 0 || !punishesMore(m)
	}
	calls := make([]scoring.Call, 1000)
	for i := range calls {
		calls[i] = scoring.Call{Name: "a stranger", Arguments: scoring.JSON("{}"), Output: scoring.JSON("null")}
	}
	return m.Judge(x, calls[:0]).Passed && m.Judge(x, calls[:1]).Passed && m.Judge(x, calls).Passed
}

// RequiresNothing reports whether a run without any call has full recall.
func RequiresNothing(x *scoring.Expectation) bool {
	recall, err := scoring.NewNative(scoring.DefaultNative())
	return err == nil && recall.Judge(x, []scoring.Call{}).Score == 1
}

// passing is the warning about a metric that passes every run.
func passing(x *scoring.Expectation, m evaluate.Metric) string {
	tools, remedy := "no tools are expected", ""
	if len(x.NativeOnly()) > 0 {
		tools = "no tools are required"
	}
	if native, ok := m.Method.(*scoring.Native); ok && native.Options().Threshold > 0 {
		remedy = "; with extra_calls: forbid it would not"
	}
	return fmt.Sprintf("%s, and the metric %q passes whatever is called%s", tools, m.Name, remedy)
}

// unread names the parts of an expectation that none of its metrics reads.
func (x *Valid) unread() (warnings []string) {
	arguments, output := x.Expected.Compares()
	more := false
	for _, m := range x.Metrics {
		a, o := m.Method.Compares()
		arguments, output, more = arguments || a, output || o, more || punishesMore(m.Method)
	}
	warn := func(read *bool, rule string) {
		if !*read {
			warnings = append(warnings, fmt.Sprintf("%s: %s", x.Place, rule))
			*read = true // once is enough
		}
	}
	lists := append([][]scoring.Tool{x.Settings.Tools}, x.Settings.AnyOf...)
	for _, turn := range x.Settings.Turns {
		lists = append(append(lists, turn.Tools), turn.AnyOf...)
	}
	for _, tool := range slices.Concat(lists...) {
		if tool.Count.Max > 0 {
			warn(&more, "count.max is given, and no metric of it gives more calls a lower score; "+
				"order: exact, extra_calls: forbid, score: precision or score: f1 would")
		}
		if tool.Arguments != (scoring.Payload{}) || len(tool.Matchers) > 0 {
			warn(&arguments, "arguments are given, and no metric of it compares arguments")
		}
		if tool.Output != (scoring.Payload{}) {
			warn(&output, "an output is given, and no metric of it compares outputs")
		}
	}
	return warnings
}

// Refusals are the rules that an expectation breaks whose metrics have methods that do not understand its keys: one for each such
// metric. keys are those of [scoring.ExpectationSettings.NativeOnly]. Each names metrics of all that do. It begins with who, which is empty for the expectation itself.
func Refusals(keys []string, who string, metrics, all []evaluate.Metric) (rules []string) {
	if len(keys) == 0 {
		return nil
	}
	native := NativeNames(metrics)
	if len(native) == 0 {
		native = NativeNames(all)
	}
	advice := "define a metric with the native method and name it in `metrics`"
	if len(native) > 0 {
		advice = fmt.Sprintf("say metrics: [%s]", strings.Join(native, ", "))
	}
	used := strings.Replace(strings.Join(keys, ", "), "*", "* in a name", 1)
	for _, m := range metrics {
		if name := m.Method.Name(); name != "native" {
			rules = append(rules, fmt.Sprintf("%suses %s, which only the native method understands, but is scored by the metric %q, whose method is %s: %s",
				who, used, m.Name, name, advice))
		}
	}
	return rules
}

// NativeNames are the names of the metrics with the native method.
func NativeNames(metrics []evaluate.Metric) []string {
	var names []string
	for _, m := range metrics {
		if m.Method.Name() == "native" {
			names = append(names, m.Name)
		}
	}
	return names
}
