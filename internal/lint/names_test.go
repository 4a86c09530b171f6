package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// subject is the first word of a comment, if it looks like a name of the code: "name: what it says", or a lower-case name.
var subject = regexp.MustCompile(`^(?:([A-Za-z]\w*):|([a-z]\w*)[ ,])`)

// TestCommentsBearTheNamesOfWhatTheyDescribe: a name in a comment is not renamed with the code.
func TestCommentsBearTheNamesOfWhatTheyDescribe(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errOrSkip(err, name, d)
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		report(t, misnamed(name, string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// misnamed returns the comments of a file that begin with the name of something else.
func misnamed(name, text string) (places []string) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	check := func(doc *ast.CommentGroup, names []string) {
		m := subject.FindStringSubmatch(doc.Text())
		if m == nil || slices.Contains(names, m[1]+m[2]) {
			return
		}
		places = append(places, fmt.Sprintf("%s: %q is the comment of %s", files.Position(doc.Pos()), m[1]+m[2], strings.Join(names, ", ")))
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			all := fieldNames(n.Fields) // one comment may be that of several lines
			for _, f := range n.Fields.List {
				if len(f.Names) > 0 && f.Names[0].Name != "_" {
					check(f.Doc, all)
				}
			}
		case *ast.FuncDecl:
			check(n.Doc, []string{n.Name.Name})
		}
		return true
	})
	return places
}

func fieldNames(fields *ast.FieldList) (names []string) {
	for _, f := range fields.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

func TestMisnamedCommentsAreSeen(t *testing.T) {
	for _, tc := range []struct {
		text   string
		broken int
		reason string
	}{
		{"type s struct {\n// Mute: there are none.\nSilent bool\n}", 1, "the field has another name now"},
		{"type s struct {\n// Silent: there are none.\nSilent bool\n}", 0, "it is the field's name"},
		{"type s struct {\n// first and last are places.\nfirst int\nlast int\n}", 0, "one comment for two lines"},
		{"type s struct {\n// In bytes.\nsize int\n}", 0, "a sentence may begin with another word"},
		{"// told says so.\nfunc shown() {}", 1, "the function has another name now"},
		{"// Panics: none.\nfunc shown() {}", 1, "a comment begins with the name of the function"},
		{"// shown says so.\nfunc shown() {}", 0, "it is the function's name"},
	} {
		if got := misnamed("a.go", "package p\n\n"+tc.text); len(got) != tc.broken {
			t.Errorf("misnamed(%q) = %q, want %d: %s", tc.text, got, tc.broken, tc.reason)
		}
	}
}
