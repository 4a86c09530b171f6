package toolcorrectnessprocessor

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
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
	n, whole := wholeNumber(c.MaxCalls)
	return c.MaxCalls != nil && (!whole || n != 0)
}

// maxCalls are the limit of all calls and the limits by tool, in the order of their names.
func (c *ExpectationConfig) maxCalls(errs *configcheck.Errors) (all int, of []scoring.CallLimit) {
	if c.MaxCalls == nil {
		return 0, nil
	}
	if n, ok := wholeNumber(c.MaxCalls); ok {
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
		n, ok := wholeNumber(m[name])
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

// wholeNumber is v as an int, if it is a number without a fraction.
func wholeNumber(v any) (int, bool) {
	switch n := reflect.ValueOf(v); {
	case v == nil || n.Kind() == reflect.Bool:
		return 0, false
	case n.CanInt():
		return int(n.Int()), true
	case n.CanUint() && n.Uint() <= 1<<31:
		return int(n.Uint()), true //nolint:gosec // just checked
	case n.CanFloat() && n.Float() == float64(int32(n.Float())):
		return int(n.Float()), true
	}
	return 0, false
}
