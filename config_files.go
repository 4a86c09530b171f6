package toolcorrectnessprocessor

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectation"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectfiles"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// A listed is an expectation with its path in the configuration or file.
type listed = expectfiles.Entry[ExpectationConfig]

// inline returns the expectations of the configuration itself.
func (c *Config) inline() []listed {
	list := make([]listed, len(c.Expectations))
	for i := range c.Expectations {
		list[i] = listed{Config: &c.Expectations[i], Place: fmt.Sprintf("expectations[%d]", i), Name: strconv.Itoa(i)}
	}
	return list
}

// HasFiles reports whether expectations or cases are in files of their own.
func (c *Config) HasFiles() bool {
	for i := range c.Expectations {
		if c.Expectations[i].datasetFile() != "" {
			return true
		}
	}
	return len(c.ExpectationFiles) > 0
}

// files is a [toolcorrectness.Source] that reads expectations from files.
type files struct {
	*expectfiles.Files[ExpectationConfig, evaluate.ExpectationSet]
}

func newFiles(c *Config, fingerprint string, metrics []evaluate.Metric, telemetry component.TelemetrySettings) files {
	return files{expectfiles.New(expectfiles.Config[ExpectationConfig, evaluate.ExpectationSet]{
		Patterns: c.ExpectationFiles, Inline: c.inline, Fingerprint: fingerprint, Shorthands: shorthands,
		Dataset: (*ExpectationConfig).datasetFile,
		NewCheck: func() (dataset.Check, error) {
			parser, err := ottltext.NewCallParser(telemetry)
			return func(text []byte) (dataset.Checked, error) { return expectation.CheckCase(text, parser) }, err
		},
		Make: func(list []listed) (evaluate.ExpectationSet, error) {
			errs := configcheck.New()
			return c.set(errs, list, metrics, telemetry), errs.Err()
		},
	})}
}

// Read implements [toolcorrectness.Source].
func (f files) Read(ctx context.Context) (*evaluate.ExpectationSet, error) {
	loaded, err := f.Files.Read(ctx)
	switch {
	case errors.Is(err, expectfiles.ErrUnsettled):
		return nil, toolcorrectness.ErrUnsettled
	case loaded == nil:
		return nil, err
	}
	set := loaded.Set
	set.Warnings = append(set.Warnings, loaded.Warnings...)
	set.Fingerprint = loaded.Fingerprint
	return &set, nil
}
