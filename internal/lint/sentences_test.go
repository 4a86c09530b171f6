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
func longSentences(name, text string) []string {
	return eachSentence(name, text, func(sentence string) string {
		if n := len(strings.Fields(sentence)); n > maxWords {
			return fmt.Sprintf("%d words, at most %d", n, maxWords)
		}
		return ""
	})
}

// A phrase is one that a sentence of a comment avoids, unless the sentence also has another one.
type phrase struct {
	avoid, unless *regexp.Regexp
	use           string
}

// phrases leave open who must do what, or which amount is meant.
var phrases = []phrase{
	{regexp.MustCompile(`^\W*Of (an?|the|its|their|all|any|both|each|every|equal|further|longer|many|none|no|some|several|these|those|them|two|three|four|ten|\w+ed)\b`), nil,
		"a sentence that begins with its subject, or with if"},
	{whole(`(is|are|was|were) to [a-z]+`), nil, "must, or a verb that says who does it"},
	{whole(`what (is|are|was|were) told|(may|can|could|must)( not)? be told`), nil, "recorded, shown or named: say by whom"},
	{whole(`so (many|much|few|long)`), whole(`as|that`), "the parameter's name, or that number of"},
}

// TestPhrases: a stranger does not have to guess who must act, nor how much is meant.
func TestPhrases(t *testing.T) {
	eachProse(t, func(name string) bool { return path.Ext(name) == ".go" && hasProse(name) }, vaguePhrases)
}

// vaguePhrases returns the sentences with phrases to avoid in the comments of a Go file.
func vaguePhrases(name, text string) []string {
	return eachSentence(name, text, func(sentence string) string {
		for _, p := range phrases {
			if s := p.avoid.FindString(sentence); s != "" && (p.unless == nil || !p.unless.MatchString(sentence)) {
				return fmt.Sprintf("%q: use %s", s, p.use)
			}
		}
		return ""
	})
}

// eachSentence returns the places of the sentences in the comments of a Go file with which wrong finds a fault.
func eachSentence(name, text string, wrong func(sentence string) string) (places []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	for _, comment := range file.Comments {
		for _, paragraph := range paragraphs(comment) {
			for _, sentence := range sentences(paragraph) {
				if fault := wrong(sentence); fault != "" {
					places = append(places, fmt.Sprintf("%s:%d: %s: %s", name, files.Position(comment.Pos()).Line, fault, sentence))
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

// The rule is only worth something if it sees such sentences, and nothing else.
func TestVaguePhrasesAreFound(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		want     int // index into phrases, or -1
		reason   string
	}{
		{"Of two copies the first counts.", 0, "the reader waits for the subject"},
		{"Of refused batches none is held.", 0, "likewise"},
		{"Of returns the conversation of a process.", -1, "the comment of a method Of"},
		{"Two of the copies count.", -1, "the subject comes first"},
		{"The caller is to hold the lock.", 1, "an obligation says must"},
		{"Bytes that are to leave.", 1, "who sends them, and when, is open"},
		{"It is close to zero.", -1, "a verb does not follow"},
		{"It must hold what is told.", 2, "told by whom?"},
		{"Values must not be told.", 2, "shown where?"},
		{"Limit bounds the cache to so many bytes.", 3, "how many?"},
		{"It takes so\n// many bytes.", 3, "a sentence goes on in the next line"},
		{"It has so many bytes that it is cut.", -1, "the sentence says how many"},
		{"It waits so long as the lock is held.", -1, "the sentence says how long"},
	} {
		var want []string
		if tc.want >= 0 {
			p := phrases[tc.want]
			sentence := strings.ReplaceAll(tc.sentence, "\n// ", " ")
			want = []string{fmt.Sprintf("a.go:3: %q: use %s: %s", p.avoid.FindString(sentence), p.use, sentence)}
		}
		if got := vaguePhrases("a.go", "package p\n\n// "+tc.sentence); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q: %s", got, want, tc.reason)
		}
	}
}
