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
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

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
	Error     string          `json:"error"`   // "" if it succeeded
	Order     int             `json:"order"`   // of its start, in the scenario
	CallID    string          `json:"call_id"` // "" if the framework has none
}

// Tools are the tools of all runs.
func (s Scenario) Tools() []Tool {
	var tools []Tool
	for _, run := range s.Runs {
		tools = append(tools, run.Tools...)
	}
	return tools
}

// The libraries of a folder, in the order of their names. They are read once, because reading takes longer than most tests.
var (
	Libraries = librariesOf("corpus")
	Python    = librariesOf("corpus-python")
	Others    = librariesOf("corpus-others")
)

// All are the libraries of all folders.
func All(tb testing.TB) []Library { return slices.Concat(Libraries(tb), Python(tb), Others(tb)) }

func librariesOf(folder string) func(testing.TB) []Library {
	once := sync.OnceValues(func() (libraries []Library, err error) {
		paths, err := filepath.Glob(filepath.Join(testdata, folder, "*"+suffix))
		if err == nil && len(paths) == 0 {
			err = fmt.Errorf("no recorded traces in %s", folder)
		}
		for _, path := range paths {
			library, err := read(path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			libraries = append(libraries, library)
		}
		return libraries, err
	})
	return func(tb testing.TB) []Library {
		tb.Helper()
		libraries, err := once()
		if err != nil {
			tb.Fatal(err)
		}
		return slices.Clone(libraries)
	}
}

// Open reads the library of that name, of any folder.
func Open(tb testing.TB, name string) Library {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(testdata, "corpus*", name+suffix))
	if err != nil || len(paths) != 1 {
		tb.Fatalf("%s: no such library", name)
	}
	library, err := read(paths[0])
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return library
}

const (
	// testdata is where every package has it whose tests read libraries: all are two folders below the module.
	testdata       = "../../testdata"
	suffix         = ".tar.gz"
	requestsSuffix = ".otlp.jsonl"
	manifestName   = "MANIFEST.json"
)

// read unpacks one archive. Its files are sorted by name, and so are the scenarios therefore.
func read(path string) (l Library, err error) {
	file, err := os.Open(path)
	if err != nil {
		return l, err
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return l, err
	}
	manifest := struct {
		*Library
		Scenarios map[string]Scenario `json:"scenarios"`
	}{Library: &l}
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return l, l.learn(manifest.Scenarios)
		}
		if err != nil {
			return l, err
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			return l, err
		}
		if header.Name == manifestName {
			err = json.Unmarshal(content, &manifest)
		} else {
			err = l.add(header.Name, content)
		}
		if err != nil {
			return l, fmt.Errorf("%s: %w", header.Name, err)
		}
	}
}

// add reads the requests of one scenario, one a line.
func (l *Library) add(file string, content []byte) error {
	name, ok := strings.CutSuffix(file, requestsSuffix)
	if !ok {
		return errors.New("neither requests nor a manifest")
	}
	scenario := Scenario{Name: name}
	var unmarshaler ptrace.JSONUnmarshaler
	for line := range bytes.Lines(content) {
		request, err := unmarshaler.UnmarshalTraces(line)
		if err != nil {
			return err
		}
		request.MarkReadOnly()
		scenario.Requests = append(scenario.Requests, request)
	}
	l.Scenarios = append(l.Scenarios, scenario)
	return nil
}

// learn adds to the recordings what the manifest says. Neither may be without the other.
func (l *Library) learn(truth map[string]Scenario) error {
	if len(truth) != len(l.Scenarios) {
		return fmt.Errorf("%d recordings, but the manifest has %d", len(l.Scenarios), len(truth))
	}
	for i := range l.Scenarios {
		recorded := l.Scenarios[i]
		scenario, ok := truth[recorded.Name]
		if !ok {
			return fmt.Errorf("the manifest does not know %s", recorded.Name)
		}
		scenario.Name, scenario.Requests = recorded.Name, recorded.Requests
		l.Scenarios[i] = scenario
	}
	return nil
}
