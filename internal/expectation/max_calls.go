package expectation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// limitsCalls reports whether the expectation has a limit of calls, valid or not.
func (x *Expectation) limitsCalls() bool {
	n, whole := configcheck.WholeNumber(x.MaxCalls)
	return x.MaxCalls != nil && (!whole || n != 0)
}

// maxCalls are the limit of all calls and the limits by tool, in the order of their names.
func (x *Expectation) maxCalls(errs *configcheck.Errors) (all int, of []scoring.CallLimit) {
	if x.MaxCalls == nil {
		return 0, nil
	}
	if n, ok := configcheck.WholeNumber(x.MaxCalls); ok {
		return n, nil
	}
	m, ok := configcheck.AsMap(x.MaxCalls)
	if !ok {
		errs.Add("max_calls", "must be a whole number, or a map from the name of a tool to one, is %s", configcheck.Describe(x.MaxCalls))
		return 0, []scoring.CallLimit{{Name: "*", Max: 1 << 30}} // a limit is stated, so no rule about missing ones applies
	}
	if len(m) == 0 {
		errs.Add("max_calls", "must not be an empty map")
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := configcheck.WholeNumber(m[name])
		if !ok {
			errs.Add(fmt.Sprintf("max_calls[%q]", name), "must be a whole number, is %s", describe(m[name]))
			continue
		}
		of = append(of, scoring.CallLimit{Name: name, Max: n})
	}
	return 0, of
}

func describe(v any) string {
	if v == nil {
		return "nothing"
	}
	return configcheck.Describe(v)
}
