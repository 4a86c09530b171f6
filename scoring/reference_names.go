package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// EvalLibOptions are the options of eval_lib's ToolCorrectnessMetric, under eval_lib's names.
type EvalLibOptions struct {
	// ExactMatch requires the same names at the same positions. It overrides CheckOrdering.
	ExactMatch bool
	// CheckOrdering scores the longest common subsequence.
	CheckOrdering bool
	// Threshold is the lowest score that passes.
	Threshold float64
	// Version is "0.7" for the rules up to 0.7.27, or "0.8" for those since 0.7.28. Empty means "0.8". They differ if no
	// tools are expected and ExactMatch is off: for any calls, the score is 0 under "0.7" and 1 under "0.8".
	Version string
}

// evalLibVersions has the names of the versions in a configuration, the default first.
var evalLibVersions = []string{"0.8", "0.7"}

// DefaultEvalLib returns eval_lib's defaults, and the rules of its newest version.
func DefaultEvalLib() EvalLibOptions {
	return EvalLibOptions{Threshold: 0.5, Version: evalLibVersions[0]}
}

// NewEvalLib makes the ToolCorrectnessMetric of eval_lib (Eval-ai-library), which compares names only. Missing lists count as empty.
// Its error joins one [Fault] for each wrong option.
func NewEvalLib(o EvalLibOptions) (Method, error) {
	o.Version = cmp.Or(o.Version, evalLibVersions[0])
	var c checker
	c.oneOf("version", o.Version, evalLibVersions)
	c.share("threshold", o.Threshold)
	m := reference{
		name: "eval_lib", system: evalLib, mode: modeOf(o.ExactMatch, o.CheckOrdering, firstCall), threshold: o.Threshold, emptyScore: 1, extraScore: 1,
	}
	if o.Version == "0.7" {
		m.zeroIn = "eval_lib 0.7"
	}
	return c.method(m)
}

// GalteaOptions say how names are normalized before they are compared: by default not at all. Galtea does not publish its own rules.
type GalteaOptions struct {
	// StripPrefixes are removed from names. Each name loses the first listed prefix that it has, once.
	StripPrefixes []string
	// TrimSpace removes spaces around a name, before any prefix.
	TrimSpace bool
}

// NewGaltea makes Galtea's Tool Correctness, as Galtea documents it: 1 if the expected and the called names are the same set, else
// 0. Galtea's implementation is closed, so it may differ. It has no threshold: 1 passes. Missing lists count as empty. The error of
// NewGaltea joins one [Fault] for each option that is wrong.
func NewGaltea(o GalteaOptions) (Method, error) {
	var c checker
	for i, prefix := range o.StripPrefixes {
		c.want(prefix != "", fmt.Sprintf("strip_prefixes[%d]", i), "must not be empty")
	}
	o.StripPrefixes = slices.Clone(o.StripPrefixes)
	return c.method(reference{name: "galtea", system: galtea, mode: sets, threshold: 1, galtea: o})
}

// canonical returns the normalized name.
func (o *GalteaOptions) canonical(name string) string {
	if o.TrimSpace {
		name = strings.Trim(name, " ")
	}
	for _, prefix := range o.StripPrefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}
