package expect

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Config says which expectations there are, and what else of a configuration decides about them.
type Config struct {
	// Inline are the expectations that stand in no file. They come first.
	Inline []Expectation
	// Patterns name the files of expectations.
	Patterns []string
	// Fingerprint is the hash of all that stands in no file.
	Fingerprint string
	// Metrics are those in which no error was found, and Known the names of all.
	Metrics []evaluate.Metric
	Known   []string
	// Conversations says that runs have turns.
	Conversations bool
	// Telemetry is what OTTL logs to.
	Telemetry component.TelemetrySettings
}

// An entry is an expectation, as it is written and converted, and where it stands.
type entry struct {
	config *Expectation
	evaluate.Expectation
	// settings say which tools are expected. They are nil if these stand in an attribute or in a dataset.
	settings *scoring.ExpectationSettings

	// path is where it stands, such as expectations[0], in file or, if that is nil, in the configuration.
	path string
	file *configcheck.YAMLFile
	// cases are those of its dataset, once they are read.
	cases *caseFile
}

// place is where it stands, with the file and the line if that is a file.
func (x *entry) place() string { return x.file.Place(x.path) }

// dataset is the path of the dataset, empty for none. A relative one begins at the file.
func (x *entry) dataset() string {
	if x.config.Dataset == nil || x.config.Dataset.File == "" {
		return ""
	}
	path := x.config.Dataset.File
	if x.file != nil && !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(x.file.Path), path)
	}
	return filepath.Clean(path)
}

// The values of unknown_key, the default first.
const (
	UnknownNext   = "next"
	UnknownReport = "report"
)

// inline are the expectations that stand in no file.
func (c *Config) inline() []entry {
	list := make([]entry, len(c.Inline))
	for i := range c.Inline {
		list[i] = entry{config: &c.Inline[i], path: fmt.Sprintf("expectations[%d]", i)}
		list[i].Name = cmp.Or(c.Inline[i].Name, strconv.Itoa(i))
	}
	return list
}

// Set checks and converts the expectations that stand in no file.
func (c *Config) Set(errs *configcheck.Errors) evaluate.ExpectationSet {
	return c.set(errs, c.inline())
}

// set converts a list of expectations. The result is empty if there is an error.
func (c *Config) set(errs *configcheck.Errors, list []entry) (set evaluate.ExpectationSet) {
	parser, err := conditions.NewParser(c.Telemetry)
	if err != nil {
		errs.Join(err)
		return set
	}
	places := map[string]string{} // by name
	for i := range list {
		x := &list[i]
		under := errs.Located(x.file.Place).Under(x.path)
		first, taken := places[x.Name]
		under.Unless(!taken, "name", "%q is the name of %s already", x.Name, first)
		places[x.Name] = x.place()
		c.convert(under, x, parser)
	}
	if errs.Err() != nil {
		return set
	}
	set.Fingerprint = c.Fingerprint
	decided := map[string]string{}
	for i := range list {
		x := &list[i]
		set.Expectations = append(set.Expectations, x.Expectation)
		set.Warnings = append(set.Warnings, x.warnings(decided)...)
		if len(x.Metrics) > 0 {
			arguments, output := x.Compares()
			set.Arguments, set.Output = set.Arguments || arguments, set.Output || output
		}
	}
	return set
}

func (c *Config) convert(errs *configcheck.Errors, x *entry, parser *conditions.Parser) {
	config := x.config
	x.FromAttribute, x.Parse = config.FromAttribute, Parse
	if config.When != "" {
		compiled, err := parser.When(config.When)
		errs.Unless(err == nil, "when", "%v", err)
		x.When, x.Text = compiled, config.When
	}
	x.Metrics = c.choice(errs, config.Metrics)
	x.Cases = c.casesOf(errs, x, parser)
	x.settings = config.settings(errs, parser)
	x.Expected = compile(errs, x.settings)
	if x.settings != nil {
		c.refuse(errs, x.settings.NativeOnly(), "", x.Metrics)
	}
	place := func(line int) string { return fmt.Sprintf("the case in %s:%d", x.cases.look.path, line) }
	if x.cases != nil {
		c.refuse(errs, x.cases.nativeOnly, place(x.cases.native)+" ", x.Metrics)
	}
	const needs = "needs `run.scope: conversation`"
	switch {
	case c.Conversations:
	case config.Turns != nil:
		errs.Add("turns", needs)
	case x.cases != nil && x.cases.turns > 0:
		errs.Add("dataset", "%s says turns, which %s", place(x.cases.turns), needs)
	}
}

// choice are the metrics with some names, in the order of the configuration; all for no name.
func (c *Config) choice(errs *configcheck.Errors, names []string) []evaluate.Metric {
	if len(names) == 0 {
		return c.Metrics
	}
	for i, name := range names {
		if !slices.Contains(c.Known, name) {
			errs.Add(fmt.Sprintf("metrics[%d]", i), "must be one of the metrics (%s), is %q%s",
				strings.Join(c.Known, ", "), name, configcheck.Suggestion(name, c.Known))
		}
	}
	other := func(m evaluate.Metric) bool { return !slices.Contains(names, m.Name) }
	return slices.DeleteFunc(slices.Clone(c.Metrics), other)
}

// casesOf converts the dataset of an expectation, which has no cases if a configuration is only checked. Only one goroutine at a time may look
// cases up.
func (c *Config) casesOf(errs *configcheck.Errors, from *entry, parser *conditions.Parser) *evaluate.Cases {
	config, stated := from.config, from.config.Dataset
	if stated == nil {
		errs.Unless(config.UnknownKey == "", "unknown_key", "is for an expectation with a `dataset`")
		return nil
	}
	errs.OneOf("unknown_key", cmp.Or(config.UnknownKey, UnknownNext), UnknownNext, UnknownReport)
	under := errs.Under("dataset")
	under.Unless(stated.File != "", "file", "must be a file of cases, is empty")
	x := &evaluate.Cases{Text: stated.Key, Report: config.UnknownKey == UnknownReport}
	if stated.Key == "" {
		under.Add("key", `must be an OTTL value such as attributes["test.case.name"], is empty`)
		return x
	}
	key, err := parser.Key(stated.Key)
	under.Unless(err == nil, "key", "%v", err)
	x.Key = key
	if cases := from.cases; cases != nil {
		x.Find = func(key string) *scoring.Expectation { return cases.find(key, parser) }
	}
	return x
}

// refuse adds an error for each of some metrics whose method does not understand keys of an expectation. They are those of
// [scoring.ExpectationSettings.NativeOnly]. The error names metrics that do, and begins with who, which is empty for the expectation itself.
func (c *Config) refuse(errs *configcheck.Errors, keys []string, who string, metrics []evaluate.Metric) {
	if len(keys) == 0 {
		return
	}
	native := nativeNames(metrics)
	if len(native) == 0 {
		native = nativeNames(c.Metrics)
	}
	advice := "define a metric with the native method and name it in `metrics`"
	if len(native) > 0 {
		advice = fmt.Sprintf("say metrics: [%s]", strings.Join(native, ", "))
	}
	used := strings.Replace(strings.Join(keys, ", "), "*", "* in a name", 1)
	for _, m := range metrics {
		if name := m.Method.Name(); name != "native" {
			errs.Add("", "%suses %s, which only the native method understands, but is scored by the metric %q, whose method is %s: %s",
				who, used, m.Name, name, advice)
		}
	}
}

// nativeNames are the names of the metrics with the native method.
func nativeNames(metrics []evaluate.Metric) (names []string) {
	for _, m := range metrics {
		if m.Method.Name() == "native" {
			names = append(names, m.Name)
		}
	}
	return names
}

// warnings names settings that are allowed but probably not intended: unreachable expectations, metrics that pass every
// run, and settings that no metric reads. It leaves the metrics that can use x: see [entry.reach].
func (x *entry) warnings(decided map[string]string) (warnings []string) {
	if why := x.reach(decided); why != "" {
		return []string{fmt.Sprintf("%s: it is never met: %s", x.place(), why)}
	}
	if x.Expected == nil {
		return nil
	}
	for _, m := range x.Metrics {
		if !passesAnything(x.Expected, m.Method) {
			continue
		}
		remedy := ""
		if native, ok := m.Method.(*scoring.Native); ok && native.Options().Threshold > 0 {
			remedy = "; with extra_calls: forbid it would not"
		}
		warnings = append(warnings, fmt.Sprintf("%s: no tools are required, and the metric %q passes whatever is called%s", x.place(), m.Name, remedy))
	}
	return append(warnings, x.unread()...)
}

// reach leaves the metrics that can use the expectation, and says why if there is none. A metric never uses an expectation behind
// one without `when`. decided says which one that is, by metric.
func (x *entry) reach(decided map[string]string) (why string) {
	var left []evaluate.Metric
	var reasons []string
	for _, m := range x.Metrics {
		switch by := decided[m.Name]; {
		case by == "":
			left = append(left, m)
			if x.When == nil && (x.Cases == nil || x.Cases.Report) { // otherwise a later expectation may be tried
				decided[m.Name] = x.place() + " stands before it and has no `when`"
			}
		case !slices.Contains(reasons, by):
			reasons = append(reasons, by)
		}
	}
	x.Metrics = left
	if len(left) > 0 {
		return ""
	}
	return strings.Join(reasons, "; ")
}

// passesAnything reports whether a metric passes every run, because no call is required. A method treats all unexpected calls
// alike, so it is tried on a few runs.
func passesAnything(x *scoring.Expectation, m scoring.Method) bool {
	limits := func(key string) bool {
		return slices.Contains([]string{"forbidden", "allowed", "max_calls", "max_repeats"}, key)
	}
	if len(x.Names()) > 0 || slices.ContainsFunc(x.NativeOnly(), limits) {
		return false
	}
	calls := slices.Repeat([]scoring.Call{{Name: "a stranger", Arguments: scoring.JSON("{}"), Output: scoring.JSON("null")}}, 1000)
	return m.Judge(x, calls[:0]).Passed && m.Judge(x, calls[:1]).Passed && m.Judge(x, calls).Passed
}

// unread names the parts of an expectation that none of its metrics reads.
func (x *entry) unread() (warnings []string) {
	metrics := evaluate.Expectation{Metrics: x.Metrics} // and nothing that says itself what it compares
	arguments, output := metrics.Compares()
	lists := append([][]scoring.Tool{x.settings.Tools}, x.settings.AnyOf...)
	for _, turn := range x.settings.Turns {
		lists = append(append(lists, turn.Tools), turn.AnyOf...)
	}
	tools := slices.Concat(lists...)
	hasArguments := func(t scoring.Tool) bool {
		return (t.Arguments != (scoring.Payload{}) || len(t.Matchers) > 0) && t.Match <= scoring.ArgumentsIgnore
	}
	hasOutput := func(t scoring.Tool) bool { return t.Output != (scoring.Payload{}) }
	if !arguments && slices.ContainsFunc(tools, hasArguments) {
		warnings = append(warnings, x.place()+": arguments are given, and no metric of it compares arguments")
	}
	if !output && slices.ContainsFunc(tools, hasOutput) {
		warnings = append(warnings, x.place()+": an output is given, and no metric of it compares outputs")
	}
	return warnings
}
