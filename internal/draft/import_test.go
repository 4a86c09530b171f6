package draft

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
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

// hiding are names with characters that hide or rearrange what is around them.
var hiding = []string{
	"refund\u202eorder", "\u2066a\u2069", "\u061cb", "zero\u200bwidth", "\ufeffmark", "bell\x07", "del\x7f", "next\u0085line", "line\u2028end",
	"soft\u00adhyphen", "tag\U000e0041", `back\slash` + "\u202e", "new\nline\ttab", `"quoted"` + "\u200f", strings.Repeat("a long name ", 20) + "\u202e",
	"private\ue000use", "plain", "über", "yes", "$x\u202e",
}

// A hidden character is never written as it is, as a key, a text, a comment or a value. What is written loads as it was.
func TestHiddenCharactersAreEscaped(t *testing.T) {
	for _, name := range hiding {
		document := map[string]any{name: []any{name}}
		value, err := json.Marshal(document)
		require.NoError(t, err)
		section := yamlOf(document)
		var b bytes.Buffer
		require.NoError(t, writeConfig(&b, section, name))
		shows(t, b.String())
		var loaded map[string]map[string]any
		require.NoError(t, yaml.Unmarshal(bytes.ReplaceAll(b.Bytes(), []byte("$$"), []byte("$")), &loaded), "%q", b.String())
		require.Equal(t, document, loaded["processors"]["tool_correctness"], "%q", b.String())

		escaped := report.EscapeJSON(value)
		shows(t, string(escaped))
		var back map[string][]string
		require.NoError(t, json.Unmarshal(escaped, &back))
		require.Equal(t, map[string][]string{name: {name}}, back)
	}
}

// shows fails if a text has a character without a shape, other than line ends.
func shows(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		require.True(t, r == '\n' || unicode.IsGraphic(r), "%q is in %q", r, text)
	}
}
