package expectcheck

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// PunishesMore reports whether a native metric scores lower if a tool is called more often than its count.max. Recall does not,
// because it counts required calls only.
func PunishesMore(m scoring.Method) bool {
	native, ok := m.(*scoring.Native)
	if !ok {
		return false
	}
	o := native.Options()
	return o.Order == scoring.ExactOrder || o.ExtraCalls == scoring.ForbidExtraCalls || o.Score == scoring.Precision || o.Score == scoring.F1
}

// PassesAnything reports whether a metric passes every run, because no call is required. A reference method treats all
// unexpected calls alike, so it is tried on a few runs.
func PassesAnything(x *scoring.Expectation, m scoring.Method) bool {
	keys := x.NativeOnly()
	if slices.Contains(keys, "forbidden") || slices.Contains(keys, "max_calls") || !RequiresNothing(x) {
		return false
	}
	if native, ok := m.(*scoring.Native); ok {
		return native.Options().Threshold == 0 || !PunishesMore(m)
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

// Passing is the warning about a metric that passes every run.
func Passing(x *scoring.Expectation, metric string, m scoring.Method) string {
	tools, remedy := "no tools are expected", ""
	if len(x.NativeOnly()) > 0 {
		tools = "no tools are required"
	}
	if native, ok := m.(*scoring.Native); ok && native.Options().Threshold > 0 {
		remedy = "; with extra_calls: forbid it would not"
	}
	return fmt.Sprintf("%s, and the metric %q passes whatever is called%s", tools, metric, remedy)
}
