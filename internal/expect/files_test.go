package expect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// described makes sets that are their own description.
func described(dir string) Config {
	return Config{
		Patterns: []string{filepath.Join(dir, "*.yaml")},
		Inline: func() []Entry {
			return []Entry{{Config: &Expectation{When: "inline"}, Place: "expectations[0]", Name: "0"}}
		},
		NewParser: func() (*conditions.Parser, error) {
			return conditions.NewParser(componenttest.NewNopTelemetrySettings())
		},
		Make: func(list []Entry) (set evaluate.ExpectationSet, err error) {
			for _, x := range list {
				if x.Config.When == "wrong" {
					return set, errors.New(x.Place + ": is wrong")
				}
				text := x.Name + ":" + x.Config.When
				if x.Cases != nil {
					text += " with cases"
				}
				set.Warnings = append(set.Warnings, strings.ReplaceAll(text, dir, "DIR"))
			}
			return set, nil
		},
	}
}

// Each step writes a file or does nothing, and then looks once. A change is used when it has stayed for one look.
func TestLooks(t *testing.T) {
	dir := t.TempDir()
	f := New(described(dir))
	for _, step := range []struct {
		file, text string // the file is written before the look, if it is named
		set, err   string // neither: the look finds nothing new
		reason     string
	}{
		{"a.yaml", "- when: one", "0:inline, a.yaml[0]:one", "", "files are used as they are at first"},
		{"", "", "", "", "nothing has changed"},
		{"a.yaml", "- when: two", "", ErrUnsettled.Error(), "the file may be half-written"},
		{"", "", "0:inline, a.yaml[0]:two", "", "it has stayed the same"},
		{"a.yaml", "- when: wrong", "", ErrUnsettled.Error(), "whatever it says"},
		{"", "", "", "DIR/a.yaml:1: [0]: is wrong", "the caller refuses it, with its place"},
		{"", "", "", "DIR/a.yaml:1: [0]: is wrong", "it is said at each look"},
		{"a.yaml", "- whem: two", "", ErrUnsettled.Error(), "another mistake"},
		{"", "", "", `DIR/a.yaml:1: [0].whem: is no key of this configuration (did you mean "when"?)`, "the shape is that of the type"},
		{"a.yaml", "- when: two", "", ErrUnsettled.Error(), "it is mended"},
		{"", "", "", "", "the contents are those of the set in use"},
		{"cases.jsonl", `{"key": "a", "tools": []}` + "\n", "", "", "no expectation names this file yet"},
		{"a.yaml", "- {when: two, dataset: {file: DIR/cases.jsonl}}", "", ErrUnsettled.Error(), "a dataset is named"},
		{"", "", "", ErrUnsettled.Error(), "the dataset was not read before"},
		{"", "", "", ErrUnsettled.Error(), "its first look"},
		{"", "", "0:inline, a.yaml[0]:two with cases", "", "both have stayed"},
	} {
		if step.file != "" {
			path := filepath.Join(dir, step.file)
			require.NoError(t, os.WriteFile(path+"~", []byte(strings.ReplaceAll(step.text, "DIR", dir)), 0o600))
			require.NoError(t, os.Rename(path+"~", path))
		}
		loaded, err := f.Read(t.Context())
		var set, said string
		if loaded != nil {
			set = strings.Join(loaded.Warnings, ", ")
		}
		if err != nil {
			said = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		assert.Equal(t, step.set, set, step.reason)
		assert.Equal(t, step.err, said, step.reason)
	}
}
