package dialect

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// A framework is a row of testdata/frameworks.tsv: what people install, how often, and how it is known that its spans are read. How is
// "recorded:" and the recording, "source:" and what was read, which stands above its rows in testdata/readings, or "none:" and the reason.
type framework struct{ name, language, installed, how string }

func frameworks(t *testing.T) (all []framework) {
	t.Helper()
	data, err := os.ReadFile("testdata/frameworks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			t.Fatalf("%q has %d columns, want 4", line, len(cells))
		}
		all = append(all, framework{cells[0], cells[1], cells[2], cells[3]})
	}
	return all
}

func TestFrameworksAreReadAsTheListSays(t *testing.T) {
	var played []string
	for _, library := range corpus.All(t) {
		played = append(played, library.Name)
	}
	files, err := filepath.Glob("testdata/readings/*.yaml")
	require.NoError(t, err)
	var rows []byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		rows = append(rows, text...)
	}
	all := frameworks(t)
	if len(all) < 60 {
		t.Errorf("%d frameworks, want 60 or more", len(all))
	}
	order := func(f framework) string { return strings.ToLower(f.name + "\t" + f.language) }
	if !slices.IsSortedFunc(all, func(a, b framework) int { return strings.Compare(order(a), order(b)) }) {
		t.Error("the list is not in the order of its names")
	}
	for _, f := range all {
		how, what, _ := strings.Cut(f.how, ":")
		switch {
		case what == "" || f.name == "" || f.language == "" || f.installed == "":
			t.Errorf("%s: a column is empty", f.name)
		case how == "recorded" && !slices.Contains(played, what):
			t.Errorf("%s: no recording %s is played", f.name, what)
		case how == "source" && !strings.Contains(what, " at "):
			t.Errorf("%s: the version of %s is not said", f.name, what)
		case how == "source" && !strings.Contains(string(rows), "# Source of "+f.name+": "+what+"\n- name: "):
			t.Errorf("%s: testdata/readings has no rows below a comment with %s", f.name, what)
		case !slices.Contains([]string{"recorded", "source", "none"}, how):
			t.Errorf("%s: %q is no way to know", f.name, how)
		}
	}
}

// A commit is a version only where the repository has no other; the page leaves it out.
var commit = regexp.MustCompile(`^[0-9a-f]{8}$`)

// The page has a row for each name: its languages, and for each how it was checked.
func TestThePageHasTheList(t *testing.T) {
	var names []string
	cells := map[string]string{}
	for _, f := range frameworks(t) {
		how, what, _ := strings.Cut(f.how, ":")
		cell := f.language
		switch how {
		case "recorded":
			cell += " `" + what + "`"
		case "source":
			cell += ", source"
			if _, version, _ := strings.Cut(what, " at "); !commit.MatchString(version) {
				cell += " " + version
			}
		case "none":
			cell += ", not read: " + what
		}
		if cells[f.name] != "" {
			cells[f.name] += "<br>" + cell
			continue
		}
		names = append(names, f.name)
		cells[f.name] = cell
	}
	var table strings.Builder
	table.WriteString("| framework | checked |\n|---|---|\n")
	for _, name := range names {
		fmt.Fprintf(&table, "| %s | %s |\n", name, cells[name])
	}
	page, err := os.ReadFile("../../docs/frameworks.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/frameworks.md lacks this table of testdata/frameworks.tsv:\n%s", table.String())
	}
}
