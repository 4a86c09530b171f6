package conditions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each kind of text has its own sentence. An error says where the mistake stands, and which name was probably meant.
func TestTexts(t *testing.T) {
	p := parser(t)
	when := func(text string) error { _, err := p.When(text); return err }
	key := func(text string) error { _, err := p.Key(text); return err }
	where := func(text string) error { _, err := p.Where(text); return err }
	for _, tc := range []struct {
		claim              string
		compile            func(string) error
		text, begins, ends string
		reason             string
	}{
		{"a condition on a run", when, `attributes["x"] == 1`, "", "", "OTTL in the span context"},
		{"a key", key, `attributes["x"]`, "", "", "a value in the span context"},
		{"a condition on a call", where, `arguments["x"] == 1`, "", "", "OTTL in the context of a call"},
		{"a path of spans", when, "\nattribute[\"x\"] == 1", `"\nattribute[\"x\"] == 1" is no OTTL condition: 2:1: `, `(did you mean "attributes"?)`, "lines are counted from 1"},
		{"a path in a key", key, `attribute["x"]`, `"attribute[\"x\"]" is no OTTL value: 1:1: `, `(did you mean "attributes"?)`, "a key has the same paths"},
		{"a path of calls", where, `argument["x"] == 1`, `"argument[\"x\"] == 1" is no condition on a call: 1:1: `, `(did you mean "arguments"?)`, "a call has other paths"},
		{"a function", where, `IsMatsh(name, "x")`, `"IsMatsh(name, \"x\")" is no condition on a call: 1:1: `, `(did you mean "IsMatch"?)`, "all texts have the same functions"},
		{"a path with a dot", when, `name == "é" and status.cod == 1`, `"name == \"é\" and status.cod == 1" is no OTTL condition: 1:17: `, `(did you mean "status.code"?)`,
			"OTTL does not say its place"},
		{"a path with a dot in a text as well", when, `name == "status.cod" and status.cod == 1`, `"name == \"status.cod\" and status.cod == 1" is no OTTL condition: condition `,
			`(did you mean "status.code"?)`, "no wrong place is named"},
		{"a far name", when, `unlike_any == 1`, `"unlike_any == 1" is no OTTL condition: 1:1: `, "", "nothing is suggested that was not meant"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			err := tc.compile(tc.text)
			if tc.begins == "" {
				require.NoError(t, err, tc.reason)
				return
			}
			require.Error(t, err, tc.reason)
			assert.True(t, strings.HasPrefix(err.Error(), tc.begins), "%s: %v", tc.reason, err)
			assert.True(t, strings.HasSuffix(err.Error(), tc.ends), "%s: %v", tc.reason, err)
			assert.Equal(t, tc.ends != "", strings.Contains(err.Error(), "did you mean"), tc.reason)
		})
	}
}
