package toolcorrectnessprocessor

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// fileSource returns the source of a configuration. In its YAML, DIR is the folder.
func fileSource(t *testing.T, dir, yaml string) toolcorrectness.Source {
	t.Helper()
	cfg, err := load(t, strings.ReplaceAll(yaml, "DIR", dir))
	require.NoError(t, err)
	set, err := cfg.settings(configcheck.New(), componenttest.NewNopTelemetrySettings())
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
	require.ErrorIs(t, err, evaluate.ErrUnsettled)
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
	write(t, filepath.Join(dir, "b.yaml"), "- tools: [b0]\n- name: bee\n  tools: [b1]\n  max_calls: {\"std::sort\": 1}\n")
	write(t, filepath.Join(dir, "a.yaml"), `[{"when": "attributes[\"x\"] == \"$1\"", "tools": ["a"]}]`)
	s := fileSource(t, dir, "{expectations: [{name: inline, when: 'attributes[\"y\"] == 1', tools: [x]}], expectation_files: [DIR/*.yaml]}")
	first, err := s.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"inline", "a.yaml[0]", "b.yaml[0]", "bee"}, namesOf(first), "inline first, then by the files' names")
	assert.Equal(t, `attributes["x"] == "$1"`, first.Expectations[1].Text, "a dollar is a dollar")
	assert.Len(t, first.Fingerprint, 8)
	assert.Equal(t, []string{filepath.Join(dir, "b.yaml") + ":2: [1]: it is never met: " + filepath.Join(dir, "b.yaml") + ":1: [0] stands before it and has no `when`"},
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

// Each fault in a file of expectations or cases has a clear error, which names file and line and is the same each time. The old set stays in
// use until the file is corrected.
func TestWrongFiles(t *testing.T) {
	type wrongFile struct {
		Reason, File string
		Text         string
		Is           string // what is in the file's place
		Error        string // it has this text, in which DIR is the folder
	}
	for _, row := range append(testrows.Read[wrongFile](t, "testdata/config/files.yaml"),
		wrongFile{"no case is as long", "cases.jsonl", goodCase + strings.Repeat("x", 100<<20) + "\n", "", "DIR/cases.jsonl:2: the line is longer than 1 MiB"},
		wrongFile{"a list of a million faults helps no reader", "cases.jsonl", strings.Repeat("x\n", 30), "", "DIR/cases.jsonl: 10 more faults"},
	) {
		t.Run(row.File+", "+row.Reason, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, row.File)
			section, good, mended := `expectation_files: ["DIR/x.yaml"]`, "- tools: [a]\n", "- tools: [mended]\n"
			if row.File == "cases.jsonl" {
				section, good, mended = withDataset, goodCase, `{"key": "a", "tools": ["mended"]}`
			}
			write(t, file, good)
			s := fileSource(t, dir, section)
			first, err := s.Read(t.Context())
			require.NoError(t, err)
			require.NoError(t, os.Remove(file))
			switch row.Is {
			case "":
				write(t, file, row.Text)
			case "gone":
			case "a directory":
				require.NoError(t, os.Mkdir(file, 0o700))
			case "a link to nowhere":
				require.NoError(t, os.Symlink("nowhere", file))
			case "a link to itself":
				require.NoError(t, os.Symlink(file, file))
			case "5 GiB":
				require.NoError(t, os.WriteFile(file, nil, 0o600))
				require.NoError(t, os.Truncate(file, 5<<30))
			default:
				require.Fail(t, row.Is)
			}
			set, err := reread(t, s)
			require.ErrorContains(t, err, strings.ReplaceAll(row.Error, "DIR", dir))
			assert.Nil(t, set)
			_, again := s.Read(t.Context())
			require.EqualError(t, again, err.Error(), "it is said again, so that the status stays")

			require.NoError(t, os.RemoveAll(file))
			write(t, file, mended)
			set, err = reread(t, s)
			require.NoError(t, err)
			x := set.Expectations[0].Expected
			if row.File == "cases.jsonl" {
				x = caseA(t, set)
			}
			assert.Equal(t, []string{"mended"}, x.Names())
			assert.NotEqual(t, first.Fingerprint, set.Fingerprint)
		})
	}
}

// caseA is what the case with the key a expects.
func caseA(t *testing.T, set *evaluate.ExpectationSet) *scoring.Expectation {
	t.Helper()
	x := set.Expectations[0].Cases.Find("a")
	require.NotNil(t, x)
	return x
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

// configMap is a folder that changes like a mounted ConfigMap of Kubernetes: files are links through ..data. That is a link
// to a folder with a time in its name.
type configMap struct {
	t       *testing.T
	dir     string
	version int
}

func newConfigMap(t *testing.T) *configMap {
	t.Helper()
	m := &configMap{t: t, dir: t.TempDir()}
	m.swap()
	for _, name := range []string{"a.yaml", "b.yaml"} {
		require.NoError(t, os.Symlink(filepath.Join("..data", name), filepath.Join(m.dir, name)))
	}
	return m
}

// swap replaces both files at once. In each version, a.yaml and b.yaml agree.
func (m *configMap) swap() {
	m.t.Helper()
	m.version++
	folder := fmt.Sprintf("..2026_11_22_%d", m.version)
	require.NoError(m.t, os.Mkdir(filepath.Join(m.dir, folder), 0o700))
	for _, name := range []string{"a", "b"} {
		text := fmt.Sprintf("- name: %s-%d\n  when: attributes[\"team\"] == \"%s\"\n  tools: [tool-%d]\n", name, m.version, name, m.version)
		require.NoError(m.t, os.WriteFile(filepath.Join(m.dir, folder, name+".yaml"), []byte(text), 0o600))
	}
	old, _ := os.Readlink(filepath.Join(m.dir, "..data"))
	require.NoError(m.t, os.Symlink(folder, filepath.Join(m.dir, "..data_tmp")))
	require.NoError(m.t, os.Rename(filepath.Join(m.dir, "..data_tmp"), filepath.Join(m.dir, "..data")))
	if old != "" {
		require.NoError(m.t, os.RemoveAll(filepath.Join(m.dir, old)))
	}
}

// team returns a run of an agent that belongs to a team.
func team(n int, name string) ptrace.Traces {
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID(pcommon.TraceID{1, byte(n >> 8), byte(n), 15: byte(n)})
	span.SetSpanID(pcommon.SpanID{1})
	span.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
	span.Attributes().PutStr("team", name)
	return td
}

// For an hour a ConfigMap is swapped every 15 seconds. Each run is scored by a single version, which is at most two intervals
// older than the last swap.
func TestAnHourOfConfigMapSwaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newConfigMap(t)
		var mu sync.Mutex
		var got []map[string]any
		sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
			mu.Lock()
			defer mu.Unlock()
			for _, rs := range td.ResourceSpans().All() {
				for _, span := range rs.ScopeSpans().At(0).Spans().All() {
					got = append(got, span.Attributes().AsRaw())
				}
			}
			return nil
		})
		require.NoError(t, err)
		p := startWith(t, mustLoad(t, "{run: {wait: 0}, reload_interval: 5s, expectation_files: ["+m.dir+"/*.yaml]}"), sink)
		take := func() []map[string]any {
			mu.Lock()
			defer mu.Unlock()
			taken := got
			got = nil
			return taken
		}
		byConfig := map[any]int{}
		for n := range 4 * 60 {
			for i, name := range []string{"a", "b"} {
				require.NoError(t, p.ConsumeTraces(t.Context(), team(2*n+i, name)))
			}
			time.Sleep(time.Second)
			verdicts := take()
			require.Len(t, verdicts, 2)
			for _, v := range verdicts {
				require.Equal(t, fmt.Sprint(v["team"], "-", m.version), v["tool_correctness.expectation"], "what was swapped 15 s ago is used")
				require.Equal(t, []any{fmt.Sprintf("tool-%d", m.version)}, v["tool_correctness.expected"])
				require.Equal(t, verdicts[0]["tool_correctness.config"], v["tool_correctness.config"], "both files are of one version")
			}
			byConfig[verdicts[0]["tool_correctness.config"]]++
			m.swap()
			time.Sleep(14 * time.Second)
		}
		assert.Len(t, byConfig, 4*60, "each version has a hash of its own")
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	})
}

// startWith makes a processor from a configuration with the factory.
func startWith(t *testing.T, cfg *Config, sink consumer.Traces) processor.Traces {
	t.Helper()
	p, err := NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(NewFactory().Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
	return p
}

const (
	withDataset = `expectations: [{name: cases, dataset: {file: "DIR/cases.jsonl", key: 'attributes["case"]'}}]`
	goodCase    = `{"key": "a", "tools": ["x"]}` + "\n"
)

// A reference method refuses keys that only the native method supports, and the error names the case.
func TestCasesSuitTheirMetrics(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), "{\"key\": \"a\", \"tools\": [\"x\"]}\n{\"key\": \"b\", \"tools\": [], \"max_calls\": 2}\n")
	_, err := fileSource(t, dir, "{metrics: {g: {galtea: }}, "+withDataset+"}").Read(t.Context())
	require.EqualError(t, err, "expectations[0]: the case in "+dir+"/cases.jsonl:2 uses max_calls, which only the native method understands, but is scored by the metric \"g\", "+
		"whose method is galtea: define a metric with the native method and name it in `metrics`")
}

// YAML and JSON lines mean the same, even with a byte order mark and CRLF.
func TestFormsOfDatasets(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), "\uFEFF"+`{"key": "a", "tools": ["x", {"name": "y", "arguments": {"n": 1.0}, "output": "ok"}]}`+"\r\n")
	write(t, filepath.Join(dir, "cases.yaml"), "\uFEFF- key: a\r\n  tools:\r\n    - x\r\n    - { name: y, arguments: { n: 1.0 }, output: ok }\r\n")
	for _, name := range []string{"cases.jsonl", "cases.yaml"} {
		set, err := fileSource(t, dir, strings.ReplaceAll(withDataset, "cases.jsonl", name)).Read(t.Context())
		require.NoError(t, err)
		x := caseA(t, set)
		assert.Equal(t, []string{"x", "y"}, x.Names())
		assert.JSONEq(t, `{"n":1.0}`, string(x.Tools()[1].Arguments.AppendJSON(nil)))
	}
	write(t, filepath.Join(dir, "cases.yaml"), "- key: a\n  tools: [x]\n- key: a\n  tools: [y]\n")
	_, err := fileSource(t, dir, strings.ReplaceAll(withDataset, "cases.jsonl", "cases.yaml")).Read(t.Context())
	require.EqualError(t, err, dir+`/cases.yaml:3: [1].key: "a" is the key of line 1 already`)
}

// What a run's attributes make of it. For a run without a case, the next expectation is tried, or it is not evaluable: no attribute of an
// anchor changes that. An attribute supports all keys of an expectation except conditions, and its errors contain no values.
func TestVerdictsByAttributes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), goodCase+`{"key": "7", "tools": ["seven"]}`+"\n")
	type verdictRow struct {
		Reason              string
		Config              section
		Attributes, Verdict map[string]any
	}
	deep := verdictRow{"deep", `{run: {wait: 0}, expectations: [{from_attribute: expected}]}`,
		map[string]any{"expected": `{"forbidden": ` + strings.Repeat("[", 20_000)}, map[string]any{"tool_correctness.status": "not_evaluable"}}
	for _, row := range append(testrows.Read[verdictRow](t, "testdata/config/verdicts.yaml"), deep) {
		t.Run(row.Reason, func(t *testing.T) {
			got := verdictOf(t, mustLoad(t, strings.ReplaceAll(string(row.Config), "DIR", dir)), row.Attributes)
			for key, want := range row.Verdict {
				assert.Equal(t, want, got[key], key)
			}
			assert.NotContains(t, fmt.Sprint(got["tool_correctness.reason"]), "secret", "values are private")
		})
	}
	for unknown, never := range map[string]int{"next": 0, "report": 1} {
		set, err := fileSource(t, dir, strings.Replace(withDataset, "}}]", "}, unknown_key: "+unknown+"}, {tools: [z]}]", 1)).Read(t.Context())
		require.NoError(t, err)
		assert.Len(t, set.Warnings, never, "that the second expectation is never met")
	}
}

// verdictOf returns the attributes of an agent's span after the processor, given those before.
func verdictOf(t *testing.T, cfg *Config, attributes map[string]any) (got map[string]any) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
			got = td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
			return nil
		})
		require.NoError(t, err)
		p := startWith(t, cfg, sink)
		td := team(1, "")
		on := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		for key, value := range attributes {
			require.NoError(t, on.PutEmpty(key).FromRaw(value))
		}
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		time.Sleep(time.Second)
		synctest.Wait()
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	})
	return got
}

// millionCases writes a dataset.
func millionCases(tb testing.TB, file string, cases int) {
	tb.Helper()
	out, err := os.Create(file)
	require.NoError(tb, err)
	w := bufio.NewWriter(out)
	for i := range cases {
		fmt.Fprintf(w, "{\"key\":\"case-%07d\",\"tools\":[\"search_orders\",{\"name\":\"refund_order\",\"arguments\":{\"currency\":\"EUR\",\"amount\":%d}}],\"forbidden\":[\"delete_account\"]}\n", i, i)
	}
	require.NoError(tb, w.Flush())
	require.NoError(tb, out.Close())
}

// A million cases are read in seconds, and each takes less than a kilobyte.
func TestMillionCases(t *testing.T) {
	cases := 1_000_000
	if testing.Short() {
		cases = 20_000
	}
	dir := t.TempDir()
	millionCases(t, filepath.Join(dir, "cases.jsonl"), cases)
	s := fileSource(t, dir, withDataset)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	set, err := s.Read(t.Context())
	took := time.Since(began)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	perCase := float64(after.HeapAlloc-before.HeapAlloc) / float64(cases)
	t.Logf("%d cases: read in %v, %.0f bytes a case", cases, took, perCase)
	assert.Less(t, perCase, 1000.0)
	if os.Getenv("IDLE") != "" { // `IDLE=1 go test . -run TestMillionCases -v` says that the machine is idle
		assert.Less(t, took, 20*time.Second)
	}
	x := set.Expectations[0].Cases.Find(fmt.Sprintf("case-%07d", cases-1))
	require.NotNil(t, x)
	assert.Equal(t, []string{"search_orders", "refund_order"}, x.Names())
	runtime.KeepAlive(s)
}
