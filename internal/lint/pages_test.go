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
