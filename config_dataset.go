package toolcorrectnessprocessor

import (
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectation"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// DatasetConfig names a file of cases, and the key that finds the case of a run.
type DatasetConfig struct {
	// File is the path of a YAML list of cases if it ends in .yaml or .yml, else of JSON lines, one for each case. A case has
	// a key, and tools, any_of, forbidden and max_calls as in an expectation.
	File string `mapstructure:"file"`

	// Key is an OTTL value in the span context, such as attributes["test.case.name"]. It is evaluated on the run's anchor.
	Key string `mapstructure:"key"`
}

// The values of unknown_key.
const (
	unknownNext   = "next"
	unknownReport = "report"
)

// cases converts the dataset of an expectation. loaded is nil if a configuration is only checked. Only one goroutine at a
// time may use onCalls, and that includes lookups of cases.
func (c *ExpectationConfig) cases(
	errs *configcheck.Errors, parser *ottltext.SpanParser, onCalls *ottltext.CallParser, loaded *dataset.Cases,
) *evaluate.Cases {
	if c.Dataset == nil {
		if c.UnknownKey != "" {
			errs.Add("unknown_key", "is for an expectation with a `dataset`")
		}
		return nil
	}
	if c.UnknownKey != "" {
		errs.OneOf("unknown_key", c.UnknownKey, unknownNext, unknownReport)
	}
	under := errs.Under("dataset")
	if c.Dataset.File == "" {
		under.Add("file", "must be a file of cases, is empty")
	}
	x := &evaluate.Cases{Text: c.Dataset.Key, Report: c.UnknownKey == unknownReport, File: c.Dataset.File}
	if c.Dataset.Key == "" {
		under.Add("key", `must be an OTTL value such as attributes["test.case.name"], is empty`)
		return x
	}
	key, err := parser.Key(c.Dataset.Key)
	if err != nil {
		under.Add("key", "%v", err)
		return x
	}
	x.Key = key
	if loaded != nil {
		x.Find = func(key string) (*scoring.Expectation, bool, error) {
			return expectation.FindCase(loaded, key, onCalls)
		}
		x.Arguments, x.Output = loaded.Arguments, loaded.Output
	}
	return x
}

// datasetFile returns the path of the dataset, or "" if there is none.
func (c *ExpectationConfig) datasetFile() string {
	if c.Dataset == nil {
		return ""
	}
	return c.Dataset.File
}

// refuseCases adds an error for each metric whose method does not support a key that a case has. cases may be nil.
func refuseCases(errs *configcheck.Errors, cases *dataset.Cases, metrics, all []evaluate.Metric) {
	if cases == nil {
		return
	}
	for _, use := range cases.NativeOnly {
		refuse(errs, []string{use.Key}, fmt.Sprintf("the case in %s:%d ", cases.File, use.Line), metrics, all)
	}
}
