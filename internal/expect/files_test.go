package expect

import (
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

// Each step writes a file or does nothing, and then looks once. A change is used when it has stayed for one look.
func TestLooks(t *testing.T) {
	dir := t.TempDir()
	f := New(Config{
		Patterns: []string{filepath.Join(dir, "*.yaml")}, Inline: []Expectation{{Name: "inline", MaxCalls: 1}},
		NewParser: func() (*conditions.Parser, error) {
			return conditions.NewParser(componenttest.NewNopTelemetrySettings())
		},
	})
	unsettled := evaluate.ErrUnsettled.Error()
	for _, step := range []struct {
		file, text string // the file is written before the look, if it is named
		set, err   string // neither: the look finds nothing new
		reason     string
	}{
		{"a.yaml", "- {name: one, max_calls: 1}", "inline, one", "", "files are used as they are at first"},
		{"", "", "", "", "nothing has changed"},
		{"a.yaml", "- {name: two, max_calls: 1}", "", unsettled, "the file may be half-written"},
		{"", "", "inline, two", "", "it has stayed the same"},
		{"a.yaml", "- {name: wrong}", "", unsettled, "whatever it says"},
		{"", "", "", "DIR/a.yaml:1: [0]: says nothing", "the caller refuses it, with its place"},
		{"", "", "", "DIR/a.yaml:1: [0]: says nothing", "it is said at each look"},
		{"a.yaml", "- {whem: two, max_calls: 1}", "", unsettled, "another mistake"},
		{"", "", "", `DIR/a.yaml:1: [0].whem: is no key of this configuration (did you mean "when"?)`, "the shape is that of the type"},
		{"a.yaml", "- {name: two, max_calls: 1}", "", unsettled, "it is mended"},
		{"", "", "", "", "the contents are those of the set in use"},
		{"cases.jsonl", `{"key": "a", "tools": []}` + "\n", "", "", "no expectation names this file yet"},
		{"a.yaml", "- {name: two, dataset: {file: DIR/cases.jsonl, key: name}}", "", unsettled, "a dataset is named"},
		{"", "", "", unsettled, "the dataset was not read before"},
		{"", "", "", unsettled, "its first look"},
		{"", "", "inline, two with cases", "", "both have stayed"},
	} {
		if step.file != "" {
			path := filepath.Join(dir, step.file)
			require.NoError(t, os.WriteFile(path+"~", []byte(strings.ReplaceAll(step.text, "DIR", dir)), 0o600))
			require.NoError(t, os.Rename(path+"~", path))
		}
		loaded, err := f.Read(t.Context())
		var names []string
		for i := 0; loaded != nil && i < len(loaded.Expectations); i++ {
			name := loaded.Expectations[i].Name
			if loaded.Expectations[i].Cases != nil {
				name += " with cases"
			}
			names = append(names, name)
		}
		said := ""
		if err != nil {
			said, _, _ = strings.Cut(strings.ReplaceAll(err.Error(), dir, "DIR"), ": give")
		}
		assert.Equal(t, step.set, strings.Join(names, ", "), step.reason)
		assert.Equal(t, step.err, said, step.reason)
	}
}
