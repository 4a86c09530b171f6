package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	maxFileLines     = 300 // a longer file probably has a second subject
	maxFunctionLines = 60  // a longer function does not fit a screen
)

// TestLengths: code that people wrote is in short files of short functions, in each module of the repository. Tests may have longer
// tables.
func TestLengths(t *testing.T) {
	eachProse(t, func(name string) bool {
		return path.Ext(name) == ".go" && hasProse(name) && !strings.HasSuffix(name, "_test.go")
	}, tooLong)
}

// tooLong returns the file, if it has too many lines, and those of its functions that have.
func tooLong(name, text string) (places []string) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	if n := strings.Count(text, "\n"); n > maxFileLines {
		places = append(places, fmt.Sprintf("%s: %d lines, at most %d: give a subject of it a file of its own", name, n, maxFileLines))
	}
	for _, d := range tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first := files.Position(fn.Pos()).Line
		if n := files.Position(fn.End()).Line - first + 1; n > maxFunctionLines {
			places = append(places, fmt.Sprintf("%s:%d: %s has %d lines, at most %d: split it by subject", name, first, fn.Name.Name, n, maxFunctionLines))
		}
	}
	return places
}

func TestLongFilesAndFunctionsAreSeen(t *testing.T) {
	function := func(lines int) string { return "func f() {\n" + strings.Repeat("f()\n", lines-2) + "}\n" }
	for _, tc := range []struct {
		text   string
		want   []string
		reason string
	}{
		{function(maxFunctionLines), nil, "it has as many lines as it may"},
		{function(maxFunctionLines + 1), []string{"a.go:2: f has 61 lines, at most 60: split it by subject"}, "it has one more"},
		{"// f calls itself.\n" + function(maxFunctionLines), nil, "a comment is no line of the function"},
		{"type t struct{}\nfunc (t) g()" + function(maxFunctionLines + 1)[len("func f()"):],
			[]string{"a.go:3: g has 61 lines, at most 60: split it by subject"}, "a method is a function"},
		{strings.Repeat("\n", maxFileLines-1), nil, "the file has as many lines as it may"},
		{strings.Repeat("\n", maxFileLines), []string{"a.go: 301 lines, at most 300: give a subject of it a file of its own"}, "it has one more"},
	} {
		if got := tooLong("a.go", "package p\n"+tc.text); !slices.Equal(got, tc.want) {
			t.Errorf("got %q, want %q: %s", got, tc.want, tc.reason)
		}
	}
}
