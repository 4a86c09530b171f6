package lint

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPagesWriteID: prose has one spelling of a word that each page has. Keys and code keep theirs.
func TestPagesWriteID(t *testing.T) { eachProse(t, hasProse, lowerIDs) }

var (
	// lowerID is the word alone. With a dash it is a part of a name, such as that of a file.
	lowerID = regexp.MustCompile(`(?:^|[^\w-])([Ii]ds?)(?:$|[^\w-])`)
	// notProse is a code span, or the target of a link.
	notProse = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|<[^>]*>")
)

// lowerIDs returns the places of "id" and "ids" in the prose of a page.
func lowerIDs(name, text string) (places []string) {
	if path.Ext(name) != ".md" {
		return nil
	}
	fenced := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(line, "    ") {
			continue
		}
		for _, match := range lowerID.FindAllStringSubmatch(notProse.ReplaceAllString(line, "x"), -1) {
			places = append(places, fmt.Sprintf("%s:%d: %q: write %s, or mark it as code", name, i+1, match[1], "ID"+match[1][2:]))
		}
	}
	return places
}

// The rule is only worth something if it sees prose, and nothing else.
func TestLowerIDsAreSeen(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
		reason     string
	}{
		{"a.md", "# A\nThe id of a call.", []string{`a.md:2: "id": write ID, or mark it as code`}, "a word of prose"},
		{"a.md", "Ids, by trace", []string{`a.md:1: "Ids": write IDs, or mark it as code`}, "the plural at the start of a sentence"},
		{"a.md", "The ID, `id`, and `call.id`.", nil, "keys are code"},
		{"a.md", "See [by-ids](by-ids-or-order.md).", nil, "a link leads to a file, and may have its name"},
		{"a.md", "```\nid\n```\n\n    id: 1", nil, "blocks are code"},
		{"a.md", "```\nx\n```\nan id", []string{`a.md:4: "id": write ID, or mark it as code`}, "a block ends"},
		{"a.go", "package p\n\n// The id of a call.", nil, "comments have names of variables in them"},
	} {
		if got := lowerIDs(tc.name, tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("lowerIDs(%q) = %q, want %q: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}
