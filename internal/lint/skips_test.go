package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// skips are the tests that may skip, by file and function: why, and where the same is tested nevertheless.
var skips = map[string]string{
	"benchmarks/main_test.go TestASmallRunWritesItsReport":         "it measures for 20 seconds; make test-full and make check run it",
	"processor/evaluate_errors_test.go TestErrorsOfConditions":     "one row has a lambda, which some releases of OTTL do not parse; the release in go.mod does, and runs it",
	"internal/e2e/resolver_test.go TestPipelineFindsScorersByName": "a mount namespace needs root; without root, nothing else tests the dns resolver",
}

// TestSkips: a test that skips unnoticed is a test that does not exist.
func TestSkips(t *testing.T) {
	found := map[string]bool{}
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errOrSkip(err, name, d)
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, test := range skipping(parsed) {
			found[name+" "+test] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for test := range found {
		if skips[test] == "" {
			t.Errorf("%s may skip, and has no reason in skips", test)
		}
	}
	for test := range skips {
		if !found[test] {
			t.Errorf("%s has a reason to skip in skips, and does not skip", test)
		}
	}
}

func errOrSkip(err error, name string, d fs.DirEntry) error {
	if err == nil && d.IsDir() {
		return skipDir(name, d.Name())
	}
	return err
}

// skipping are the functions of a file that call Skip, Skipf or SkipNow.
func skipping(f *ast.File) (tests []string) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if sel, ok := call.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Skip") {
					tests = append(tests, fn.Name.Name)
				}
			}
			return true
		})
	}
	return tests
}
