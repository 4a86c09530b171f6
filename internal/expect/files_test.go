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
)

// wish is as small as an expectation can be, and a set of wishes is a text.
type wish struct {
	Text string `mapstructure:"text"`
	File string `mapstructure:"file"`
}

func wishes(dir string) Config[wish, string] {
	return Config[wish, string]{
		Patterns: []string{filepath.Join(dir, "*.yaml")},
		Inline: func() []Entry[wish] {
			return []Entry[wish]{{Config: &wish{Text: "inline"}, Place: "wishes[0]", Name: "0"}}
		},
		Dataset: func(w *wish) string { return w.File },
		NewParser: func() (*conditions.Parser, error) {
			return conditions.NewParser(componenttest.NewNopTelemetrySettings())
		},
		Make: func(list []Entry[wish]) (string, error) {
			var said []string
			for _, x := range list {
				if x.Config.Text == "wrong" {
					return "", errors.New(x.Place + ": is wrong")
				}
				text := x.Name + ":" + x.Config.Text
				if x.Cases != nil {
					text += " with cases"
				}
				said = append(said, strings.ReplaceAll(text, dir, "DIR"))
			}
			return strings.Join(said, ", "), nil
		},
	}
}

// Each step writes a file or does nothing, and then looks once. A change is used when it has stayed for one look.
func TestLooks(t *testing.T) {
	dir := t.TempDir()
	f := New(wishes(dir))
	for _, step := range []struct {
		file, text string // the file is written before the look, if it is named
		set, err   string // neither: the look finds nothing new
		reason     string
	}{
		{"a.yaml", "- text: one", "0:inline, a.yaml[0]:one", "", "files are used as they are at first"},
		{"", "", "", "", "nothing has changed"},
		{"a.yaml", "- text: two", "", ErrUnsettled.Error(), "the file may be half-written"},
		{"", "", "0:inline, a.yaml[0]:two", "", "it has stayed the same"},
		{"a.yaml", "- text: wrong", "", ErrUnsettled.Error(), "whatever it says"},
		{"", "", "", "DIR/a.yaml:1: [0]: is wrong", "the caller refuses it, with its place"},
		{"", "", "", "DIR/a.yaml:1: [0]: is wrong", "it is said at each look"},
		{"a.yaml", "- texd: two", "", ErrUnsettled.Error(), "another mistake"},
		{"", "", "", `DIR/a.yaml:1: [0].texd: is no key of this configuration (did you mean "text"?)`, "the shape is that of the type"},
		{"a.yaml", "- text: two", "", ErrUnsettled.Error(), "it is mended"},
		{"", "", "", "", "the contents are those of the set in use"},
		{"cases.jsonl", `{"key": "a", "tools": []}` + "\n", "", "", "no expectation names this file yet"},
		{"a.yaml", "- {text: two, file: DIR/cases.jsonl}", "", ErrUnsettled.Error(), "a dataset is named"},
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
			set = loaded.Set
		}
		if err != nil {
			said = strings.ReplaceAll(err.Error(), dir, "DIR")
		}
		assert.Equal(t, step.set, set, step.reason)
		assert.Equal(t, step.err, said, step.reason)
	}
}
