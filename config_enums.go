package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
)

// The words of the reference methods. Their constructors reject all others, but make no suggestion.
var (
	axionStrategies  = []string{"exact", "subset", "fuzzy"}
	axionScorings    = []string{"recall", "precision", "f1"}
	evaluationParams = []string{"tool", "input_parameters", "output"}
	evalLibVersions  = []string{"0.8", "0.7"}
)

// formNative is the form of verdicts that is always written, because the connector, conditions and alerts read it.
const formNative = "native"

// forms are the words of annotate.as.
var forms = []struct {
	word string
	form scoreforms.Form
}{
	{formNative, 0},
	{"openinference", scoreforms.OpenInference},
	{"braintrust", scoreforms.Braintrust},
	{"langwatch", scoreforms.LangWatch},
}

func formWords() (words []string) {
	for _, f := range forms {
		words = append(words, f.word)
	}
	return words
}

// forms parses annotate.as. An empty list is native.
func (c *AnnotateConfig) forms(errs *configcheck.Errors) (all scoreforms.Form) {
	words := formWords()
	for i, word := range c.As {
		if !errs.OneOf(fmt.Sprintf("annotate.as[%d]", i), word, words...) {
			continue
		}
		if slices.Contains(c.As[:i], word) {
			errs.Add(fmt.Sprintf("annotate.as[%d]", i), "stands twice: %q", word)
		}
		all |= forms[slices.Index(words, word)].form
	}
	if len(c.As) > 0 && !slices.Contains(c.As, formNative) {
		errs.Add("annotate.as", "must contain native, which everything else reads, is [%s]", strings.Join(c.As, ", "))
	}
	return all
}

// errorModes are the words of error_mode, in the order of their constants. Other components of the Collector have the same.
var errorModes = []string{"ignore", "silent", "propagate"}

func (c *Config) errorMode(errs *configcheck.Errors) evaluate.ErrorMode {
	var mode evaluate.ErrorMode
	configcheck.Enum(errs, "error_mode", c.ErrorMode, &mode, func(word string) (evaluate.ErrorMode, bool) {
		i := slices.Index(errorModes, word)
		return evaluate.ErrorMode(max(i, 0)), i >= 0 //nolint:gosec // one of three
	}, errorModes)
	return mode
}

// params checks the words of evaluation_params. DeepEval and EvalSharp write them in lower case in lists, and in upper case
// in code; both are accepted.
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
