package dialect

import (
	"slices"
	"strings"
	"testing"
)

func TestToolsOfAnAgent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		value  any
		want   []string
		reason string
	}{
		{"a list", `["search", "refund"]`, []string{"search", "refund"}, "as Strands writes it"},
		{"an empty list", `[]`, nil, "an agent without tools lists none"},
		{"no list", `{"search": 1}`, nil, "a shape that is not known is not guessed at"},
		{"cut off", `["search", "ref`, nil, "half a list excludes nothing"},
		{"a list without end", "[" + strings.Repeat(`"search",`, maxTools/9) + `"refund"]`, nil, "no agent has so many"},
		{"a list that is no text", []any{"search"}, []string{"search"}, "others write it so"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Tools(newSpan("", map[string]any{strandsTools: tc.value}))
			if !slices.Equal(got, tc.want) {
				t.Errorf("Tools = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestToolsByTheConventions(t *testing.T) {
	for _, tc := range []struct {
		name   string
		value  any
		want   []string
		reason string
	}{
		{"definitions", `[{"type":"function","name":"search"},{"type":"function","function":{"name":"refund"}}]`, []string{"search", "refund"}, "in both forms"},
		{"a tool without a name", `[{"type":"web_search"},{"name":"search"}]`, nil, "the list may miss the name of a tool"},
		{"no list", `{"name":"search"}`, nil, "a shape that is not known is not guessed at"},
		{"cut off", `[{"name":"search"},{"na`, nil, "half a list excludes nothing"},
		{"wrong types", 7, nil, "it is no text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Tools(newSpan("", map[string]any{genAIDefinitions: tc.value})); !slices.Equal(got, tc.want) {
				t.Errorf("Tools = %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}
