package expect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// Each step writes a file or does nothing, and then looks once. A change is used when it has stayed for one look.
func TestLooks(t *testing.T) {
	dir := t.TempDir()
	f := New(Config{
		Patterns: []string{filepath.Join(dir, "*.yaml")}, Inline: []Expectation{{Name: "inline", MaxCalls: 1}},
		Telemetry: componenttest.NewNopTelemetrySettings(),
	})
	for _, step := range testrows.Read[struct{ Reason, File, Text, Set, Error string }](t, "testdata/looks.yaml") {
		if step.File != "" {
			path := filepath.Join(dir, step.File)
			require.NoError(t, os.WriteFile(path+"~", []byte(strings.ReplaceAll(step.Text, "DIR", dir)), 0o600))
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
		assert.Equal(t, step.Set, strings.Join(names, ", "), step.Reason)
		assert.Equal(t, strings.ReplaceAll(step.Error, "unsettled", evaluate.ErrUnsettled.Error()), said, step.Reason)
	}
}
