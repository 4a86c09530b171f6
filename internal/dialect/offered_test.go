package dialect

import (
	"slices"
	"testing"
)

// A request has the name of the tool that was offered, however many requests there are.
func TestRequestsHaveTheNamesOfOfferedTools(t *testing.T) {
	for _, tc := range []struct {
		offered []string
		asked   string
		want    string // "" if the request is left out
		reason  string
	}{
		{[]string{"search", "delete_file"}, "delete_file", "delete_file", "it is the offered tool"},
		{[]string{"search", "delete_file"}, "Delete-File", "delete_file", "only case and separators differ"},
		{[]string{"delete_file", "deleteFile"}, "Delete-File", "Delete-File", "either tool may be meant"},
		{[]string{"delete_file", "deleteFile"}, "deleteFile", "deleteFile", "it is one of the two"},
		{[]string{"delete_file", "delete_file"}, "Delete-File", "delete_file", "a list may name a tool twice"},
		{[]string{"search"}, "delete_file", "", "the model invented the tool"},
		{[]string{"+", "search"}, "-", "", "names without letters and digits are different tools"},
		{[]string{"+", "search"}, "+", "+", "it is the offered tool"},
		{[]string{"löschen"}, "LÖSCHEN", "löschen", "letters are those of any language"},
		{nil, "delete_file", "delete_file", "the span lists no tools"},
	} {
		for _, others := range []int{0, 20} { // many names are put in order
			var a draft
			a.Requests = slices.Repeat([]ToolRequest{{Name: "other"}}, others)
			a.Requests = append(a.Requests, ToolRequest{ID: "c", Name: tc.asked})
			a.keepOffered(slices.Clone(offered(tc.offered)))
			got := ""
			for _, request := range a.Requests {
				if request.ID == "c" {
					got = request.Name
				}
			}
			if got != tc.want {
				t.Errorf("%q of %q beside %d others is %q, want %q: %s", tc.asked, tc.offered, others, got, tc.want, tc.reason)
			}
		}
	}
}

// An agent's span may list its tools, as Strands does or by the conventions.
func TestToolsOfAnAgent(t *testing.T) {
	for _, tc := range []struct {
		name, key string
		value     any
		want      []string
		reason    string
	}{
		{"a list", strandsTools, `["search", "refund"]`, []string{"search", "refund"}, "as Strands writes it"},
		{"none", "gen_ai.agent.id", "a", nil, "the span does not list them"},
		{"an empty list", strandsTools, `[]`, nil, "an agent without tools lists none"},
		{"no list", strandsTools, `{"search": 1}`, nil, "a shape that is not known is not guessed at"},
		{"cut off", strandsTools, `["search", "ref`, nil, "half a list excludes nothing"},
		{"a list that is no text", strandsTools, []any{"search"}, []string{"search"}, "others write it so"},
		{
			"definitions", genAIDefinitions, `[{"type":"function","name":"search"},{"type":"function","function":{"name":"refund"}}]`,
			[]string{"search", "refund"}, "in both forms",
		},
		{"a definition without a name", genAIDefinitions, `[{"type":"web_search"},{"name":"search"}]`, nil, "the list may miss the name of a tool"},
		{"no list of definitions", genAIDefinitions, `{"name":"search"}`, nil, "a shape that is not known is not guessed at"},
		{"definitions that were cut off", genAIDefinitions, `[{"name":"search"},{"na`, nil, "half a list excludes nothing"},
		{"wrong types", genAIDefinitions, 7, nil, "it is no text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Tools(newSpan("", map[string]any{tc.key: tc.value})); !slices.Equal(got, tc.want) {
				t.Errorf("Tools = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}
