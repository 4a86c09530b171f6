package lint

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A word is one that comments and pages avoid, and what they say instead. docs/concepts.md has the glossary.
type word struct {
	avoid *regexp.Regexp
	use   string
}

// words has words whose reader must guess who is meant, and old names of things that the glossary names.
var words = []word{
	{whole(`nobody|somebody|anybody|whoever`), "the caller, the sender or the processor: name who it is"},
	{whole(`stands? for|stood for|standing for`), "represents"},
	{whole(`tells? of|telling of|told of`), "records, reports or names"},
	{whole(`but for`), "except for"},
	{whole(`(is|are|was|were) to be`), "must be, or a verb that says who does it"},
	{whole(`twins?`), "duplicate runs"},
	{whole(`harvest(s|ed|ing)?`), "a closed batch"},
	{whole(`stitch(es|ed|ing)?`), "correlate"},
	{whole(`grounded|loose runs?`), "a run with an agent span, a run of model calls"},
	{whole(`sieve`), "a filter"},
}

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)\b(` + pattern + `)\b`) }

// TestWords: a stranger reads each comment and each page once.
func TestWords(t *testing.T) { eachProse(t, hasProse, avoided) }

// eachProse reports what a rule finds in the files of the repository that it is for.
func eachProse(t *testing.T, isFor func(name string) bool, rule func(name, text string) (places []string)) {
	t.Helper()
	found := 0
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return errOrSkip(err, name, d)
		case !isFor(name):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		found++
		report(t, rule(name, string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 100 {
		t.Errorf("found only %d files: the rule would hold for nothing", found)
	}
}

// hasProse reports whether a file has comments or is a page. This file has the words as data. Generated files have the words of
// metadata.yaml, and CHANGELOG.md those of its time.
func hasProse(name string) bool {
	base := path.Base(name)
	return path.Ext(base) == ".go" && base != "words_test.go" && !strings.HasPrefix(base, "generated_") ||
		path.Ext(base) == ".md" && base != "CHANGELOG.md" && base != "documentation.md"
}

// avoided returns the places of words that the comments of a Go file, or the lines of a page, avoid.
func avoided(name, text string) (places []string) {
	check := func(line int, prose string) {
		for _, w := range words {
			if s := w.avoid.FindString(prose); s != "" {
				places = append(places, fmt.Sprintf("%s:%d: %q: use %s", name, line, s, w.use))
			}
		}
	}
	if path.Ext(name) == ".md" {
		for i, line := range strings.Split(text, "\n") {
			check(i+1, line)
		}
		return places
	}
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(name, -1, len(text)), []byte(text), nil, scanner.ScanComments)
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return places
		}
		if kind == token.COMMENT {
			check(files.Position(pos).Line, literal)
		}
	}
}

// The rule is only worth something if it sees comments, and nothing else.
func TestWordsAreSeenInCommentsAndPages(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
		reason     string
	}{
		{"a.go", "package p\n\n// Nobody may hold it.", []string{`a.go:3: "Nobody": use ` + words[0].use}, "a comment of its own line"},
		{"a.go", "package p\n\nvar x int // stands for y", []string{`a.go:3: "stands for": use represents`}, "a comment behind code"},
		{"a.go", "package p\n\nvar x = \"nobody\"", nil, "a text of the program is data"},
		{"a.go", "package p\n\n// It stands, for now, with its stitchings.", nil, "not the words together, or not the whole word"},
		{"a.md", "# A\nIt tells of calls.", []string{`a.md:2: "tells of": use records, reports or names`}, "a page"},
	} {
		if got := avoided(tc.name, tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("avoided(%q) = %q, want %q: %s", tc.text, got, tc.want, tc.reason)
		}
	}
}
