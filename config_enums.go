package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
)

// The words of the reference methods. Their constructors reject all others too, but suggest none.
var (
	axionStrategies  = []string{"exact", "subset", "fuzzy"}
	axionScorings    = []string{"recall", "precision", "f1"}
	evaluationParams = []string{"tool", "input_parameters", "output"}
	evalLibVersions  = []string{"0.8", "0.7"}
)

// forms parses annotate.as. An empty list means native.
func (c *AnnotateConfig) forms(errs *configcheck.Errors) (all scoreforms.Form) {
	words := scoreforms.Words()
	for i, word := range c.As {
		if !errs.OneOf(fmt.Sprintf("annotate.as[%d]", i), word, words...) {
			continue
		}
		if slices.Contains(c.As[:i], word) {
			errs.Add(fmt.Sprintf("annotate.as[%d]", i), "is listed twice: %q", word)
		}
		all |= scoreforms.Parse(word)
	}
	if len(c.As) > 0 && !slices.Contains(c.As, scoreforms.Native) {
		errs.Add("annotate.as", "must contain native, is [%s]", strings.Join(c.As, ", "))
	}
	return all
}

// errorModes has the values of error_mode, in the order of their constants. Other Collector components have the same.
var errorModes = []string{"ignore", "silent", "propagate"}

func (c *Config) errorMode(errs *configcheck.Errors) evaluate.ErrorMode {
	var mode evaluate.ErrorMode
	configcheck.Enum(errs, "error_mode", c.ErrorMode, &mode, func(word string) (evaluate.ErrorMode, bool) {
		i := slices.Index(errorModes, word)
		return evaluate.ErrorMode(max(i, 0)), i >= 0 //nolint:gosec // one of three
	}, errorModes)
	return mode
}

// params checks the words of evaluation_params. It accepts lower and upper case, as DeepEval and EvalSharp do in lists and in
// code.
func params(errs *configcheck.Errors, words []string) []string {
	var known []string
	for i, word := range words {
		if lower := strings.ToLower(word); slices.Contains(evaluationParams, lower) && (word == lower || word == strings.ToUpper(word)) {
			known = append(known, word)
			continue
		}
		errs.OneOf(fmt.Sprintf("evaluation_params[%d]", i), word, evaluationParams...)
	}
	return known
}
