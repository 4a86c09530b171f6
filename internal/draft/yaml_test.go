package draft

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

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
		below(section, name).Content[0].LineComment = comment(name)
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
