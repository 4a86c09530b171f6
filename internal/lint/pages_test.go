package lint

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The table of CONTRIBUTING.md is where a stranger looks first. It has each package that people wrote,
// and none that is gone.
func TestContributingHasEachPackage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, f := range sources(t) {
		generated := strings.HasPrefix(path.Base(f.name), "generated_")
		if pkg := path.Dir(f.name); pkg != "." && !generated && !slices.Contains(packages, pkg) {
			packages = append(packages, pkg)
		}
	}
	report(t, mislaid(string(page), packages))
}

var quoted = regexp.MustCompile("`([^`]+)`")

// mislaid are packages without a row, and rows without a package. Paths stand in quotes in the first cell.
func mislaid(page string, packages []string) (broken []string) {
	_, table, _ := strings.Cut(page, "| package | subject |")
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []string
	for row := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(row, "|"), "|")
		for _, found := range quoted.FindAllStringSubmatch(cell, -1) {
			rows = append(rows, found[1])
		}
	}
	for _, pkg := range packages {
		if !slices.Contains(rows, pkg) {
			broken = append(broken, "CONTRIBUTING.md: the table of packages has no row for "+pkg+", so nobody finds it by its subject")
		}
	}
	for _, row := range rows {
		if !slices.Contains(packages, row) {
			broken = append(broken, "CONTRIBUTING.md: the table of packages has "+row+", which is no package")
		}
	}
	return broken
}

func TestMislaidPackagesAreSeen(t *testing.T) {
	const page = "x\n\n| package | subject |\n|---|---|\n| the root | all |\n| `a`, `a/b` | one |\n| `gone` | `c` in it |\n\n| `c` | another table |\n"
	got := mislaid(page, []string{"a", "a/b", "c"})
	if len(got) != 2 || !strings.Contains(got[0], "no row for c") || !strings.Contains(got[1], "has gone") {
		t.Errorf("found %q, and c has no row, and gone is no package", got)
	}
}

// A doc.go with a list of files is a page from which a stranger learns where to look. It has each file of its package, and none
// that is gone. Files below it, whose paths have a folder, are the business of their own page.
func TestPagesListTheFilesOfTheirPackages(t *testing.T) {
	found := 0
	eachProse(t, func(name string) bool { return path.Ext(name) == ".go" && hasProse(name) }, func(name, text string) []string {
		if path.Base(name) != "doc.go" || !strings.Contains(text, "\n// # Files\n") {
			return nil
		}
		found++
		entries, err := os.ReadDir(filepath.Join("..", "..", path.Dir(name)))
		if err != nil {
			return []string{err.Error()}
		}
		var files []string
		for _, e := range entries {
			if hasProse(e.Name()) && path.Ext(e.Name()) == ".go" && !strings.HasSuffix(e.Name(), "_test.go") && e.Name() != "doc.go" {
				files = append(files, e.Name())
			}
		}
		return unlisted(name, text, files)
	})
	if found < 10 {
		t.Errorf("found only %d lists of files: the rule would hold for nothing", found)
	}
}

// listedFile is a file of a list (a.go), or a pattern for several (a*, a*.go).
var listedFile = regexp.MustCompile(`[\w/]+\*(?:\.go\b)?|[\w/]+\.go\b`)

// unlisted are files that the list of a page lacks, and listed files that the package lacks.
func unlisted(name, text string, files []string) (broken []string) {
	_, section, _ := strings.Cut(text, "\n// # Files\n")
	section, _, _ = strings.Cut(section, "\n// # ")
	listed := listedFile.FindAllString(section, -1)
	matches := func(pattern, file string) bool {
		ok, _ := path.Match(strings.TrimSuffix(pattern, ".go")+".go", file) // a pattern has letters and at most one star
		return ok || pattern == file
	}
	for _, f := range files {
		if !slices.ContainsFunc(listed, func(pattern string) bool { return matches(pattern, f) }) {
			broken = append(broken, name+": its list of files lacks "+f+", so a stranger does not find its subject")
		}
	}
	for _, f := range listed {
		if !slices.ContainsFunc(files, func(file string) bool { return matches(f, file) }) && !strings.Contains(f, "/") && !strings.HasSuffix(f, "_test.go") {
			broken = append(broken, name+": its list of files has "+f+", and the package does not")
		}
	}
	return broken
}

func TestUnlistedFilesAreSeen(t *testing.T) {
	const page = "// Package p.\n//\n// # Files\n//\n//\ta.go, b.go  two (a_test.go tests them)\n//\tsub/x.go  below\n//\td*  all of d\n//\te_*.go  all of e\n//\tgone.go  three\n//\n// # More\n//\n//\tc.go\npackage p\n"
	got := unlisted("doc.go", page, []string{"a.go", "b.go", "c.go", "d.go", "d_x.go", "e_x.go"})
	if len(got) != 2 || !strings.Contains(got[0], "lacks c.go") || !strings.Contains(got[1], "has gone.go") {
		t.Errorf("found %q, and c.go is not in the list, and gone.go is not in the package", got)
	}
}
