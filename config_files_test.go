package toolcorrectnessprocessor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// fileSource returns the source of a configuration. In its YAML, DIR is the folder.
func fileSource(t *testing.T, dir, yaml string) toolcorrectness.Source {
	t.Helper()
	cfg, err := load(t, strings.ReplaceAll(yaml, "DIR", dir))
	require.NoError(t, err)
	set, err := cfg.settings(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	require.NotNil(t, set.Source)
	return set.Source
}

// write writes a file under another name and then renames it.
func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+"~", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+"~", path))
}

// reread reads twice, because a change is used after it was the same for one interval.
func reread(t *testing.T, s toolcorrectness.Source) (*evaluate.ExpectationSet, error) {
	t.Helper()
	set, err := s.Read(t.Context())
	require.Nil(t, set)
	require.ErrorIs(t, err, toolcorrectness.ErrUnsettled)
	return s.Read(t.Context())
}

// namesOf returns the names of a set's expectations.
func namesOf(set *evaluate.ExpectationSet) (names []string) {
	for i := range set.Expectations {
		names = append(names, set.Expectations[i].Name)
	}
	return names
}

func TestExpectationFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "b.yaml"), "- tools: [b0]\n- name: bee\n  tools: [b1]\n")
	write(t, filepath.Join(dir, "a.yaml"), `[{"when": "attributes[\"x\"] == \"$1\"", "tools": ["a"]}]`)
	s := fileSource(t, dir, "{expectations: [{name: inline, when: 'attributes[\"y\"] == 1', tools: [x]}], expectation_files: [DIR/*.yaml]}")
	first, err := s.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"inline", "a.yaml[0]", "b.yaml[0]", "bee"}, namesOf(first), "inline first, then by the files' names")
	assert.Equal(t, `attributes["x"] == "$1"`, first.Expectations[1].Text, "a dollar is a dollar")
	assert.Len(t, first.Fingerprint, 8)
	assert.Equal(t, []string{filepath.Join(dir, "b.yaml") + ":2: [1]: it is never met: " + filepath.Join(dir, "b.yaml") + ":1: [0] stands before it, is for the same metrics, and has no `when`"},
		first.Warnings, "contradictions are said across files")

	set, err := s.Read(t.Context())
	assert.Nil(t, set, "nothing has changed")
	require.NoError(t, err)

	write(t, filepath.Join(dir, "b.yaml"), "- tools: [b2]\n")
	second, err := reread(t, s)
	require.NoError(t, err)
	assert.Equal(t, []string{"inline", "a.yaml[0]", "b.yaml[0]"}, namesOf(second))
	assert.NotEqual(t, first.Fingerprint, second.Fingerprint, "other expectations have another hash")

	require.NoError(t, os.Remove(filepath.Join(dir, "a.yaml")))
	third, err := reread(t, s)
	require.NoError(t, err)
	assert.Equal(t, []string{"inline", "b.yaml[0]"}, namesOf(third), "one of several files was removed on purpose")

	write(t, filepath.Join(dir, "a.yaml"), `[{"when": "attributes[\"x\"] == \"$1\"", "tools": ["a"]}]`)
	again, err := reread(t, s)
	require.NoError(t, err)
	assert.Equal(t, second.Fingerprint, again.Fingerprint, "equal content has an equal hash")

	write(t, filepath.Join(dir, "b.yaml"), "- tools: [b2]\n")
	set, err = reread(t, s)
	assert.Nil(t, set, "a file that was written again with the same content is no other set")
	require.NoError(t, err)
}

// Each fault has a clear error. The old set stays in use until the file is corrected.
func TestWrongExpectationFiles(t *testing.T) {
	const good = "- tools: [a]\n"
	play := wrongFilePlay{name: "x.yaml", section: "expectation_files: [DIR/x.yaml]", good: good, mended: "- tools: [mended]\n",
		tools: func(set *evaluate.ExpectationSet) []string { return set.Expectations[0].Expected.Names() }}
	for _, tc := range []wrongFile{
		{"a directory", replacedBy(func(t *testing.T, file string) { require.NoError(t, os.Mkdir(file, 0o700)) }), "DIR/x.yaml: is a directory, not a file", "a wrong mount"},
		{"vanished", replacedBy(func(*testing.T, string) {}), "DIR/x.yaml: does not exist", "a volume was unmounted"},
		{"a dangling link", replacedBy(func(t *testing.T, file string) { require.NoError(t, os.Symlink("nowhere", file)) }), "DIR/x.yaml: does not exist", "half of a swap"},
		{"a link to itself", replacedBy(func(t *testing.T, file string) { require.NoError(t, os.Symlink(file, file)) }), "DIR/x.yaml: cannot be read: too many levels of symbolic links", "no file"},
		{"empty", written(""), "DIR/x.yaml: is empty: it must be a list of expectations ([] for none)", "a truncated file"},
		{"only a comment", written("# later\n"), "DIR/x.yaml: is empty", "says nothing"},
		{"half-written", written("- tools: [a]\n- tools: [b, {name: c, arg"), "DIR/x.yaml:2: did not find expected ',' or '}'", "no YAML"},
		{"half a word", written("- tools: [a]\n- too"), "DIR/x.yaml:2: [1]: must be a map, is \"too\"", "YAML, and no expectation"},
		{"a map", written("expectations: [{tools: [a]}]"), "DIR/x.yaml:1: must be a list of expectations, each beginning with a -", "a common mistake"},
		{"two documents", written("- tools: [a]\n---\n- tools: [b]\n"), "DIR/x.yaml: must be one YAML document, has more behind a ---", "the second would be dropped in silence"},
		{"duplicate keys", written("- tools: [a]\n  name: x\n  tools: [b]\n"), `DIR/x.yaml:3: mapping key "tools" already defined at line 1`, "one of the two would be dropped"},
		{"an unknown key", written("- tools: [a]\n- tols: [b]\n"), "DIR/x.yaml:2: [1].tols: is no key of this configuration (did you mean \"tools\"?)", "a typing mistake"},
		{"a wrong value", written("- tools: [a]\n\n- tools: [{name: b, arguments_match: exakt, arguments: {}}]\n"), "DIR/x.yaml:3: [1].tools[0].arguments_match: must be ignore, exact, subset, superset, partial or fuzzy, is \"exakt\" (did you mean \"exact\"?)", "the rule is that of the configuration"},
		{"no OTTL", written("- when: attributes[\n  tools: [a]\n"), "DIR/x.yaml:1: [0].when: \"attributes[\" is no OTTL condition", "a condition is compiled before it is used"},
		{"an unknown path", written("- when: arguments[\"x\"] == 1\n  tools: [a]\n"), "DIR/x.yaml:1: [0].when: \"arguments[\\\"x\\\"] == 1\" is no OTTL condition", "a condition on a path that spans do not have"},
		{"a key that stands further below", written("- tools:\n    - a\n    - name: b\n      arguments: {x.y: 1}\n      arguments_match: exakt\n"), "DIR/x.yaml:5: [0].tools[1].arguments_match: must be", "an expectation may be long"},
		{"a condition that stands further below", written("- tools: [a]\n  when: attributes[\n"), "DIR/x.yaml:2: [0].when: \"attributes[\" is no OTTL condition", "also what is only known once all files are read"},
		{"a null", written("- \n- tools: [a]\n"), "DIR/x.yaml:1: [0]: must be a map, is empty", "an expectation without a key"},
		{"a name twice", written("- {name: x, when: \"true\", tools: [a]}\n- {name: x, tools: [a]}\n"), "DIR/x.yaml:2: [1].name: \"x\" is the name of DIR/x.yaml:1: [0] already", "a metric would mix both"},
		{"too long", replacedBy(func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Truncate(file, 5<<30))
		}), "DIR/x.yaml: is 5 GiB long, and at most 16 MiB are read", "5 GB are no list"},
		{"binary", written("\x00\x01\x02"), "DIR/x.yaml: is no YAML: control characters are not allowed", "another file"},
	} {
		t.Run(tc.claim, func(t *testing.T) { play.run(t, tc) })
	}
}

// A wrongFile is a fault in a file of expectations or cases, after it was read once without one.
type wrongFile struct {
	claim  string
	change func(t *testing.T, file string)
	want   string // DIR is the folder
	reason string
}

// A wrongFilePlay reads a file, breaks it, and corrects it.
type wrongFilePlay struct {
	name, section string
	good, mended  string
	tools         func(*evaluate.ExpectationSet) []string // those of the only expectation or case
}

// run checks that a wrong file gives the same error each time and no set, and that a corrected one is read again.
func (p wrongFilePlay) run(t *testing.T, tc wrongFile) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, p.name)
	write(t, file, p.good)
	s := fileSource(t, dir, p.section)
	first, err := s.Read(t.Context())
	require.NoError(t, err)
	tc.change(t, file)
	set, err := reread(t, s)
	require.ErrorContains(t, err, strings.ReplaceAll(tc.want, "DIR", dir), tc.reason)
	assert.Nil(t, set)
	_, again := s.Read(t.Context())
	require.EqualError(t, again, err.Error(), "it is said again, so that the status stays")

	require.NoError(t, os.RemoveAll(file))
	write(t, file, p.mended)
	set, err = reread(t, s)
	require.NoError(t, err)
	assert.Equal(t, []string{"mended"}, p.tools(set))
	assert.NotEqual(t, first.Fingerprint, set.Fingerprint)
}

func written(text string) func(*testing.T, string) {
	return func(t *testing.T, file string) { t.Helper(); write(t, file, text) }
}

func replacedBy(other func(*testing.T, string)) func(*testing.T, string) {
	return func(t *testing.T, file string) {
		t.Helper()
		require.NoError(t, os.Remove(file))
		other(t, file)
	}
}

// Files of Windows editors are read as well.
func TestExpectationFilesWithBOMAndCRLF(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.yaml"), "\uFEFF- tools: [a]\r\n- name: b\r\n  when: \"true\"\r\n  tools: [b]\r\n")
	set, err := fileSource(t, dir, "expectation_files: [DIR/x.yaml]").Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"x.yaml[0]", "b"}, namesOf(set))
}

// A pattern that matches nothing at the start is a warning. It is an error only if it matched files before.
func TestPatternsWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	s := fileSource(t, dir, "expectation_files: [DIR/*.yaml]")
	set, err := s.Read(t.Context())
	require.NoError(t, err)
	assert.Empty(t, set.Expectations)
	assert.Equal(t, []string{`expectation_files: "` + dir + `/*.yaml" matches no file`, "expectation_files: the files have no expectation, so no run is judged"}, set.Warnings)
	write(t, filepath.Join(dir, "x.yaml"), "- tools: [a]\n")
	set, err = reread(t, s)
	require.NoError(t, err)
	assert.Len(t, set.Expectations, 1)
	require.NoError(t, os.Remove(filepath.Join(dir, "x.yaml")))
	_, err = reread(t, s)
	require.EqualError(t, err, `expectation_files: "`+dir+`/*.yaml" matches no file any more`)
}

// A relative path says where it leads. In a file of expectations it begins at that file.
func TestRelativePaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("team", 0o700))
	write(t, "team/x.yaml", "- dataset: {file: cases.jsonl, key: 'attributes[\"k\"]'}\n")
	s := fileSource(t, dir, "expectation_files: [team/*.yaml]")
	_, err := s.Read(t.Context())
	require.EqualError(t, err, "team/cases.jsonl: does not exist (it was looked for at "+filepath.Join(dir, "team", "cases.jsonl")+")")
	write(t, "team/cases.jsonl", `{"key": "a", "tools": ["a"]}`+"\n")
	set, err := s.Read(t.Context())
	require.NoError(t, err)
	assert.Len(t, set.Expectations, 1)

	_, err = fileSource(t, dir, "expectation_files: [x.yaml]").Read(t.Context())
	require.EqualError(t, err, "x.yaml: does not exist (it was looked for at "+filepath.Join(dir, "x.yaml")+")")
	set, err = fileSource(t, dir, "expectation_files: ['*.yaml']").Read(t.Context())
	require.NoError(t, err)
	assert.Contains(t, set.Warnings, `expectation_files: "*.yaml" matches no file (it was looked for at `+filepath.Join(dir, "*.yaml")+")")
}

// A reload stops when the processor does, even within long files.
func TestReadingEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.yaml"), "- tools: [a]\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := fileSource(t, dir, "expectation_files: [DIR/x.yaml]").Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
}
