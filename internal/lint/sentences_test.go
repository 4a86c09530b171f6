package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// maxWords is how many words a sentence of a comment may have. A longer one must be read twice: cut it in two.
const maxWords = 25

// TestSentencesAreShort: a stranger reads each comment once.
func TestSentencesAreShort(t *testing.T) {
	eachProse(t, func(name string) bool { return path.Ext(name) == ".go" && hasProse(name) }, longSentences)
}

// longSentences returns the sentences with too many words in the comments of a Go file.
func longSentences(name, text string) (places []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	for _, comment := range file.Comments {
		for _, paragraph := range paragraphs(comment) {
			for _, sentence := range sentences(paragraph) {
				if n := len(strings.Fields(sentence)); n > maxWords {
					places = append(places, fmt.Sprintf("%s:%d: %d words, at most %d: %s", name, files.Position(comment.Pos()).Line, n, maxWords, sentence))
				}
			}
		}
	}
	return places
}

// paragraphs returns the paragraphs and the elements of lists. Code, which is indented by a tab, is none.
func paragraphs(comment *ast.CommentGroup) (all []string) {
	open := ""
	for _, line := range comment.List {
		text, isLine := strings.CutPrefix(line.Text, "//")
		words := strings.TrimSpace(text)
		switch {
		case !isLine || words == "" || strings.HasPrefix(text, "\t"):
			all, open = append(all, open), ""
		case strings.HasPrefix(words, "- "):
			all, open = append(all, open), words
		default:
			open += " " + words
		}
	}
	return append(all, open)
}

// end is the end of a sentence, perhaps with a quote or a bracket behind it.
var end = regexp.MustCompile(`[.!?][)"'\]]?\s+`)

// sentences splits a paragraph behind each end.
func sentences(paragraph string) (all []string) {
	for at := end.FindStringIndex(paragraph); at != nil; at = end.FindStringIndex(paragraph) {
		all, paragraph = append(all, strings.TrimSpace(paragraph[:at[1]])), paragraph[at[1]:]
	}
	return append(all, strings.TrimSpace(paragraph))
}

// The rule is only worth something if it sees sentences, and nothing else.
func TestSentences(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
		reason     string
	}{
		{"two lines", "// One\n// two. Three.", []string{"One two.", "Three."}, "a sentence goes on in the next line"},
		{"a colon", "// One: two; three.", []string{"One: two; three."}, "a reader keeps the first half in mind"},
		{"a bracket", "// (One.) Two.", []string{"(One.)", "Two."}, "the bracket belongs to the sentence"},
		{"a number", "// It is 0.5 here.", []string{"It is 0.5 here."}, "no space follows the point"},
		{"code", "// One:\n//\n//\ttwo. three\n//\n// Four.", []string{"One:", "Four."}, "code is no sentence"},
		{"a list", "//   - one\n//   - two", []string{"- one", "- two"}, "each element is read alone"},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\n"+tc.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, paragraph := range paragraphs(file.Comments[0]) {
			if paragraph != "" {
				got = append(got, sentences(paragraph)...)
			}
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q: %s", tc.name, got, tc.want, tc.reason)
		}
	}
}

// A long sentence has a place, and its length.
func TestLongSentencesAreFound(t *testing.T) {
	long := strings.Repeat("word ", maxWords) + "end."
	want := []string{"a.go:3: 26 words, at most 25: " + long}
	if got := longSentences("a.go", "package p\n\n// Short. "+long); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
