package toolcorrectnessprocessor

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// errorModes are the words of error_mode, in the order of their constants. Other components of the Collector have the same.
var errorModes = []string{"ignore", "silent", "propagate"}

func (c *Config) errorMode(errs *configcheck.Errors) toolcorrectness.ErrorMode {
	var mode toolcorrectness.ErrorMode
	configcheck.Enum(errs, "error_mode", c.ErrorMode, &mode, func(word string) (toolcorrectness.ErrorMode, bool) {
		i := slices.Index(errorModes, word)
		return toolcorrectness.ErrorMode(max(i, 0)), i >= 0 //nolint:gosec // one of three
	}, errorModes)
	return mode
}

// where compiles the condition of a tool. It is nil if there is none, or an error.
func (c *ToolConfig) where(errs *configcheck.Errors, parser *callcondition.Parser) scoring.Condition {
	if c.Where == "" {
		return nil
	}
	compiled, err := parser.Parse(c.Where)
	if err != nil {
		errs.Add("where", "%q is no condition on a call: %s", c.Where, explainOTTL(c.Where, err, condition.FunctionNames()))
		return nil
	}
	return compiled
}
