// Package corpus reads the recorded traces of testdata/corpus, testdata/corpus-python and testdata/corpus-others. It serves tests only.
//
// A [Library] is one agent framework in one version. Its scenarios have the OTLP requests as they arrived, and the truth:
// what the agent's tools logged when they ran. Expectations are taken from there, never from spans.
package corpus

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Library is one agent framework, or an instrumentation of one, in one version.
type Library struct {
	// Name is the name and version, such as "vercel-ai@6.0.326".
	Name string `json:"library"`
	// Packages has the exact version of each package that took part.
	Packages map[string]string `json:"packages"`
	// Scenarios are in the order of their names.
	Scenarios []Scenario `json:"-"`
}

// A Scenario is one recording.
type Scenario struct {
	// Name says what happened, such as "parallel_tools".
	Name string `json:"-"`
	// Requests are the export requests in the order of their arrival. All callers have the same ones: who changes one panics,
	// and who needs to changes a copy.
	Requests []ptrace.Traces `json:"-"`
	// Runs are the agent runs that really happened, in order.
	Runs []Run `json:"runs"`
	// NotExecuted are the calls that the model asked for and nothing executed: they must not count.
	NotExecuted []Tool `json:"model_calls_not_executed"`
	// AtOnce is how many calls the model asked for at once, each time. Such calls have no order. It is 0 if the order is known.
	AtOnce int `json:"at_once"`
}

// A Run is one execution of an agent, with the agents that it called.
type Run struct {
	ID      string `json:"run"`
	Agent   string `json:"agent"`
	Session string `json:"session"` // "" if there was none
	Tools   []Tool `json:"tools"`   // in the order of their start
}

// A Tool is one execution of a tool, logged by the tool's own function.
type Tool struct {
	Agent     string          `json:"agent"` // who called it
	Name      string          `json:"name"`
	ModelName string          `json:"model_name"` // the name that the model saw, "" if it is the same
	Kind      string          `json:"kind"`       // "agent" if the tool runs an agent, "hosted" if the provider ran it, "waiting" if it waits for a person
	Arguments json.RawMessage `json:"args"`
	Result    json.RawMessage `json:"result"`
	Error     string          `json:"error"` // "" if it succeeded
	Order     int             `json:"order"` // of its start, in the scenario
}

// Tools are the tools of all runs.
func (s Scenario) Tools() []Tool {
	var tools []Tool
	for _, run := range s.Runs {
		tools = append(tools, run.Tools...)
	}
	return tools
}

// Libraries are those in testdata/corpus, in the order of their names.
func Libraries(tb testing.TB) []Library { return matching(tb, "corpus", "*") }

// Python are those in testdata/corpus-python.
func Python(tb testing.TB) []Library { return matching(tb, "corpus-python", "*") }

// Others are those in testdata/corpus-others.
func Others(tb testing.TB) []Library { return matching(tb, "corpus-others", "*") }

// All are the libraries of all folders.
func All(tb testing.TB) []Library { return slices.Concat(Libraries(tb), Python(tb), Others(tb)) }

// Open returns the library of that name, of any folder.
func Open(tb testing.TB, name string) Library {
	tb.Helper()
	found := matching(tb, "corpus*", name)
	require.Len(tb, found, 1)
	return found[0]
}

// Names are the names of all libraries. It reads none of them.
func Names(tb testing.TB) (names []string) {
	tb.Helper()
	for _, path := range paths(tb, "corpus*", "*") {
		names = append(names, strings.TrimSuffix(filepath.Base(path), suffix))
	}
	return names
}

// matching returns the libraries whose folder and name match patterns.
func matching(tb testing.TB, folder, name string) (libraries []Library) {
	tb.Helper()
	for _, path := range paths(tb, folder, name) {
		once, _ := libraryIn.LoadOrStore(path, sync.OnceValues(func() (Library, error) { return read(path) }))
		library, err := once.(func() (Library, error))()
		require.NoError(tb, err, path)
		libraries = append(libraries, library)
	}
	return libraries
}

// libraryIn has a function for each path that was asked for. It reads the library once, because that takes longer than most tests.
var libraryIn sync.Map

func paths(tb testing.TB, folder, name string) []string {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(testdata, folder, name+suffix))
	require.NoError(tb, err)
	require.NotEmpty(tb, found, "recorded traces of %s in %s", name, folder)
	return found
}

// testdata is where every package has it whose tests read libraries: all are two folders below the module.
const (
	testdata = "../../testdata"
	suffix   = ".tar.gz"
)

// read reads one archive: the manifest has the truth of each scenario, and a file for each has the requests, one a line.
func read(path string) (l Library, err error) {
	files, err := unpack(path)
	if err != nil {
		return l, err
	}
	manifest := struct {
		*Library
		Scenarios map[string]Scenario `json:"scenarios"`
	}{Library: &l}
	if err := json.Unmarshal(files["MANIFEST.json"], &manifest); err != nil {
		return l, fmt.Errorf("the manifest: %w", err)
	}
	if len(files) != 1+len(manifest.Scenarios) {
		return l, fmt.Errorf("%d files for %d scenarios and the manifest", len(files), len(manifest.Scenarios))
	}
	for _, name := range slices.Sorted(maps.Keys(manifest.Scenarios)) {
		scenario := manifest.Scenarios[name]
		scenario.Name = name
		requests, recorded := files[name+".otlp.jsonl"]
		if !recorded {
			return l, fmt.Errorf("%s: no recording", name)
		}
		for line := range bytes.Lines(requests) {
			request, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				return l, fmt.Errorf("%s: %w", name, err)
			}
			request.MarkReadOnly()
			scenario.Requests = append(scenario.Requests, request)
		}
		l.Scenarios = append(l.Scenarios, scenario)
	}
	return l, nil
}

// unpack returns the files of an archive by their names.
func unpack(path string) (map[string][]byte, error) {
	packed, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	files, archive := map[string][]byte{}, tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
	}
}
