package toolcorrectnessprocessor

import (
	"fmt"
	"slices"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// doubts are what is allowed and was probably not meant: arguments or outputs that no metric will look at, and metrics
// that pass whatever is called.
func (c *Config) doubts(set toolcorrectness.Settings) []string {
	var doubts []string
	for i := range set.Expectations {
		x := &set.Expectations[i]
		if x.Expected == nil {
			continue
		}
		for _, m := range x.Metrics {
			if passesAnything(x, m) {
				doubts = append(doubts, fmt.Sprintf(
					"expectations[%d]: no tools are expected, and the metric %q passes whatever is called; with extra_calls: forbid it would not", i, m.Name))
			}
		}
		arguments, output := x.Compares()
		lists := append([][]ToolConfig{c.Expectations[i].Tools}, c.Expectations[i].AnyOf...)
		for _, tool := range slices.Concat(lists...) {
			if tool.Arguments != nil && !arguments {
				doubts = append(doubts, fmt.Sprintf("expectations[%d]: arguments are given, and no metric of it compares arguments", i))
				arguments = true
			}
			if tool.Output != nil && !output {
				doubts = append(doubts, fmt.Sprintf("expectations[%d]: an output is given, and no metric of it compares outputs", i))
				output = true
			}
		}
	}
	return doubts
}

// passesAnything reports whether a metric finds every expected tool called, because none is expected.
func passesAnything(x *toolcorrectness.Expectation, m toolcorrectness.Metric) bool {
	native, ok := m.Method.(*scoring.Native)
	if !ok || len(x.Expected.NativeOnly()) > 0 || len(x.Expected.Tools()) > 0 {
		return false
	}
	o := native.Options()
	return o.ExtraCalls == scoring.AllowExtraCalls && (o.Score == scoring.Recall || o.Score == scoring.AllOrNothing)
}
