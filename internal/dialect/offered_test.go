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
			a := ModelResponse{Requests: slices.Repeat([]ToolRequest{{Name: "other"}}, others)}
			a.Requests = append(a.Requests, ToolRequest{ID: "c", Name: tc.asked})
			got := ""
			for _, request := range a.of(slices.Clone(offered(tc.offered))).Requests {
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
