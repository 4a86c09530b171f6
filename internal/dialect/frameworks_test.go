package dialect

import (
	"os"
	"path/filepath"
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
	played := corpus.Names(t)
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

// The page has all frameworks: a list of those with recordings, one of those that are read by their source, and one for each reason why
// some are not read, whose versions it leaves out. Languages stand behind a name, but for Python alone. Where the lines of a list break does not matter.
func TestThePageHasTheList(t *testing.T) {
	var recordings, sources list
	reasons := map[string]*list{}
	for _, f := range frameworks(t) {
		how, what, _ := strings.Cut(f.how, ":")
		switch how {
		case "recorded":
			recordings.add(f)
		case "source":
			sources.add(f)
		case "none":
			reason, _, _ := strings.Cut(what, " (")
			if reasons[reason] == nil {
				reasons[reason] = &list{}
			}
			reasons[reason].add(f)
		}
	}
	text, err := os.ReadFile("../../docs/frameworks.md")
	require.NoError(t, err)
	want := []string{recordings.String() + ".", sources.String() + "."}
	for reason, l := range reasons {
		want = append(want, "| "+reason+" | "+l.String()+" |")
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, line := range want {
		if !strings.Contains(words, " "+line) {
			t.Errorf("docs/frameworks.md lacks this list of testdata/frameworks.tsv:\n%s", line)
		}
	}
}

// A list is of frameworks, each with its languages.
type list struct {
	names     []string
	languages map[string][]string
}

func (l *list) add(f framework) {
	if l.languages == nil {
		l.languages = map[string][]string{}
	}
	if l.languages[f.name] == nil {
		l.names = append(l.names, f.name)
	}
	l.languages[f.name] = append(l.languages[f.name], f.language)
}

func (l list) String() string {
	var all []string
	for _, name := range l.names {
		languages := strings.Join(l.languages[name], ", ")
		if languages != "Python" && !strings.HasSuffix(name, " for "+languages) {
			name += " (" + languages + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, "; ")
}
