package lint

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const (
	std    = "std"     // every package of the standard library
	notStd = "not std" // every other package
)

// A restrictedCall is what only some folders may do.
type restrictedCall string

const (
	startsGoroutine restrictedCall = "starts a goroutine"
	readsClock      restrictedCall = "reads the clock"
	waits           restrictedCall = "waits for time to pass"
)

// timeCalls names the functions of package time that read the clock or wait.
var timeCalls = map[string]restrictedCall{
	"Now": readsClock, "Since": readsClock, "Until": readsClock,
	"Sleep": waits, "After": waits, "AfterFunc": waits, "Tick": waits, "NewTimer": waits, "NewTicker": waits,
}

// A file is one source file of the module, named by its path below the module's root, with slashes.
type file struct {
	name  string
	fset  *token.FileSet
	tree  *ast.File
	calls map[restrictedCall]token.Pos // the first of each kind
}

func TestPackages(t *testing.T) {
	report(t, forbiddenImports(sources(t)))
}

func TestRestrictedImports(t *testing.T) {
	report(t, unrestrictedImports(sources(t)))
}

func TestRestrictedCalls(t *testing.T) {
	report(t, unrestrictedCalls(sources(t)))
}

// TestOneClock: one file of the processor reads the clock, and passes the time to all others.
func TestOneClock(t *testing.T) {
	report(t, secondClocks(sources(t)))
}

func TestClosures(t *testing.T) {
	for _, c := range closures {
		out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "../../"+c.pkg).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", c.pkg, err)
		}
		for dep := range strings.FieldsSeq(string(out)) {
			own := matches(dep, []string{module + "/" + c.pkg})
			if !own && matches(dep, c.not) {
				t.Errorf("%s brings along %s: %s", c.pkg, dep, c.reason)
			}
		}
	}
}

// TestSizes: a package that has grown beyond its size probably has a second subject.
func TestSizes(t *testing.T) {
	report(t, largePackages(sources(t)))
}

func report(t *testing.T, broken []string) {
	t.Helper()
	for _, b := range broken {
		t.Error(b)
	}
}

func forbiddenImports(files []file) (broken []string) {
	for _, f := range files {
		for _, r := range packages {
			if !under(f.name, []string{r.pkg + "/"}) {
				continue
			}
			for pos, imported := range f.imports() {
				own := matches(imported, []string{module + "/" + r.pkg})
				if !own && (!matches(imported, r.may) || matches(imported, r.not)) {
					broken = append(broken, f.say(pos, "imports "+imported, r.reason))
				}
			}
		}
	}
	return broken
}

func unrestrictedImports(files []file) (broken []string) {
	for _, f := range files {
		for pos, imported := range f.imports() {
			if imported == module && !under(f.name, []string{"cmd/"}) {
				broken = append(broken, f.say(pos, "imports "+imported, "what users write is the end of the chain"))
			}
			for _, d := range restrictedImports {
				own := matches(module+"/"+path.Dir(f.name), []string{d.path})
				if !own && matches(imported, []string{d.path}) && !under(f.name, d.from) {
					broken = append(broken, f.say(pos, "imports "+imported, d.reason))
				}
			}
		}
	}
	return broken
}

func unrestrictedCalls(files []file) (broken []string) {
	for _, f := range files {
		for _, d := range restrictedCalls {
			if pos, done := f.calls[d.call]; done && !under(f.name, d.from) {
				broken = append(broken, f.say(pos, string(d.call), d.reason))
			}
		}
	}
	return broken
}

func secondClocks(files []file) (broken []string) {
	first := ""
	for _, f := range files {
		pos, reads := f.calls[readsClock]
		if !reads || !under(f.name, []string{"processor/"}) {
			continue
		}
		if first != "" {
			broken = append(broken, f.say(pos, string(readsClock), "so does "+first+"; time is read in one place"))
		}
		first = f.name
	}
	return broken
}

func largePackages(files []file) (broken []string) {
	lines := map[string]int{}
	for _, f := range files {
		if !strings.HasPrefix(path.Base(f.name), "generated_") {
			lines[path.Dir(f.name)] += f.fset.File(f.tree.Pos()).LineCount()
		}
	}
	for _, s := range sizes {
		n, known := lines[s.pkg]
		if !known || n <= maxLines {
			broken = append(broken, fmt.Sprintf("%s has %d lines and needs no row in sizes", s.pkg, n))
		}
		if n > s.most {
			broken = append(broken, fmt.Sprintf("%s has %d lines, at most %d: %s", s.pkg, n, s.most, s.reason))
		}
		delete(lines, s.pkg)
	}
	for pkg, n := range lines {
		if n > maxLines {
			broken = append(broken, fmt.Sprintf("%s has %d lines, at most %d: give a subject of it a package of its own", pkg, n, maxLines))
		}
	}
	return broken
}

// sources reads every file of the module that is compiled into something: no tests, no testdata, no module of its own.
func sources(t *testing.T) []file {
	t.Helper()
	root := filepath.Join("..", "..")
	var files []file
	err := filepath.WalkDir(root, func(p string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			return skipDir(p, name)
		}
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f, err := parse(name, string(text))
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("found only %d files below %s: the rules would hold of nothing", len(files), root)
	}
	return files
}

func skipDir(p, name string) error {
	base := path.Base(name)
	if name == "." {
		return nil
	}
	_, err := os.Stat(filepath.Join(p, "go.mod"))
	if err == nil || base == "testdata" || base == "dist" || strings.HasPrefix(base, ".") {
		return fs.SkipDir
	}
	return nil
}

func parse(name, text string) (file, error) {
	f := file{name: name, fset: token.NewFileSet(), calls: map[restrictedCall]token.Pos{}}
	tree, err := parser.ParseFile(f.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	f.tree = tree
	ast.Inspect(tree, func(n ast.Node) bool {
		if d, ok := f.callOf(n); ok && f.calls[d] == token.NoPos {
			f.calls[d] = n.Pos()
		}
		return true
	})
	return f, nil
}

// callOf recognizes a go statement, a method Go (of a wait group or an error group), and functions of package time, called or
// passed.
func (f file) callOf(n ast.Node) (restrictedCall, bool) {
	switch n := n.(type) {
	case *ast.GoStmt:
		return startsGoroutine, true
	case *ast.CallExpr:
		method, ok := n.Fun.(*ast.SelectorExpr)
		return startsGoroutine, ok && method.Sel.Name == "Go"
	case *ast.SelectorExpr:
		pkg, ok := n.X.(*ast.Ident)
		if !ok || pkg.Name != f.nameOf("time") {
			return "", false
		}
		d, ok := timeCalls[n.Sel.Name]
		return d, ok
	}
	return "", false
}

// nameOf is the name that the file gives an imported package; empty without the import.
func (f file) nameOf(imported string) string {
	for _, spec := range f.tree.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// imports yields the packages that the file imports, and where.
func (f file) imports() iter.Seq2[token.Pos, string] {
	return func(yield func(token.Pos, string) bool) {
		for _, spec := range f.tree.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			if !yield(spec.Pos(), imported) {
				return
			}
		}
	}
}

func (f file) say(pos token.Pos, what, why string) string {
	return fmt.Sprintf("%s:%d %s: %s", f.name, f.fset.Position(pos).Line, what, why)
}

// under reports whether the file stands in one of the places: a folder ("cmd/"), the root package ("./"), or one file.
func under(name string, places []string) bool {
	for _, p := range places {
		switch {
		case p == "./" && !strings.Contains(name, "/"), p == name:
			return true
		case strings.HasSuffix(p, "/") && strings.HasPrefix(name, p):
			return true
		}
	}
	return false
}

// matches reports whether the package is one of those listed or below one.
func matches(imported string, list []string) bool {
	first, _, _ := strings.Cut(imported, "/")
	isStd := !strings.Contains(first, ".")
	for _, entry := range list {
		switch {
		case entry == std && isStd, entry == notStd && !isStd:
			return true
		case imported == entry, strings.HasPrefix(imported, entry+"/"):
			return true
		}
	}
	return false
}
