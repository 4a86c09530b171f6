package draft

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// Files of the other tools become configurations, and what is not in them is listed.
func TestImports(t *testing.T) {
	for _, tc := range []struct{ file, format, match, arguments string }{
		{"eval_set_helm.json", "adk", "", ""},
		{"evalset_helm_3_2026-02-23.json", "adk", "IN_ORDER", ""},
		{"evalset_k8s_2026-02-20.json", "adk", "EXACT", "exact"},
		{"events.json", "adk", "ANY_ORDER", "ignore"},
		{"goldens.json", "deepeval", "", ""},
		{"goldens.jsonl", "deepeval", "", ""},
		{"trajectory.json", "agentevals", "", ""},
		{"trajectories.jsonl", "agentevals", "", ""},
		{"promptfooconfig.yaml", "promptfoo", "", ""},
	} {
		t.Run(tc.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "import", tc.file))
			require.NoError(t, err)
			s := Set{Match: tc.match, Arguments: tc.arguments}
			f := Formats[tc.format]
			require.NoError(t, f.Read(&s, text))
			var b strings.Builder
			require.NoError(t, s.YAML(&b, f, "test.case.name", "Imported by a test."))
			golden(t, filepath.Join("testdata", "import", tc.file+".yaml"), b.String())
		})
	}
}

// A file of another kind is an error that says what is missing. An assertion of another form is noted.
func TestFaults(t *testing.T) {
	for _, row := range testrows.Read[struct{ Format, Text, Error, Note string }](t, "testdata/faults.yaml") {
		var s Set
		err := Formats[row.Format].Read(&s, []byte(row.Text))
		if row.Note != "" {
			require.NoError(t, err)
			require.Contains(t, s.Notes(), "1 x "+row.Note)
			require.Empty(t, s.Cases)
			continue
		}
		require.ErrorContains(t, err, row.Error, "%s: %s", row.Format, row.Text)
	}
}

// A run that calls something passes a case without tools where the other tool passes it, and the import says so.
func TestCasesThatEveryRunPasses(t *testing.T) {
	for match, notes := range map[string]int{"strict": 0, "unordered": 0, "subset": 0, "superset": 1} {
		f, s := Formats["agentevals"], Set{Match: match}
		require.NoError(t, f.Read(&s, []byte(`{"id":"joke","messages":[]}`)))
		require.NoError(t, s.Check(f))
		assert.Len(t, s.Notes(), notes, match)
	}
}

// A case that expects no tools of its own is no expectation.
func TestCasesWithoutTools(t *testing.T) {
	var s Set
	require.NoError(t, Formats["adk"].Read(&s, []byte(`{"eval_cases":[{"eval_id":"x","conversation_scenario":{"starting_prompt":"Hello"}}]}`)))
	require.Empty(t, s.Cases)
	require.Equal(t, []string{"1 x eval case without a conversation, which expects no tools", "1 x eval case.conversation_scenario"}, s.Notes())
}
