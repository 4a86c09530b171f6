package toolcorrectnessprocessor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MarshalJSON writes no limit of calls as 0, so that older configurations keep their fingerprints.
func (c ExpectationConfig) MarshalJSON() ([]byte, error) {
	type plain ExpectationConfig // without this method
	p := plain(c)
	if p.MaxCalls == nil {
		p.MaxCalls = 0
	}
	return json.Marshal(p)
}

// limitsCalls reports whether the expectation has a limit of calls, valid or not.
func (c *ExpectationConfig) limitsCalls() bool {
	n, whole := configcheck.WholeNumber(c.MaxCalls)
	return c.MaxCalls != nil && (!whole || n != 0)
}

// maxCalls are the limit of all calls and the limits by tool, in the order of their names.
func (c *ExpectationConfig) maxCalls(errs *configcheck.Errors) (all int, of []scoring.CallLimit) {
	if c.MaxCalls == nil {
		return 0, nil
	}
	if n, ok := configcheck.WholeNumber(c.MaxCalls); ok {
		return n, nil
	}
	m, ok := configcheck.AsMap(c.MaxCalls)
	if !ok {
		errs.Add("max_calls", "must be a whole number, or a map from the name of a tool to one, is %s", configcheck.Describe(c.MaxCalls))
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
