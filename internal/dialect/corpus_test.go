package dialect

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The oracle is each library's manifest: what the tools themselves logged when they ran.
func TestReadingsEqualWhatReallyHappened(t *testing.T) {
	for _, library := range plainLibraries(t) {
		for _, scenario := range library.Scenarios {
			switch scenario.Name {
			case "streaming", "no_content", "unknown_tool":
				continue // their tests are below
			}
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				calls, agents := readAll(scenario)
				if diff := cmp.Diff(wantCalls(t, scenario, allOf), gotCalls(t, calls, allOf)); diff != "" {
					t.Errorf("calls (-happened +read):\n%s", diff)
				}
				for _, run := range scenario.Runs {
					if !slices.Contains(agents, run.Agent) {
						t.Errorf("agents are %q, want %q among them", agents, run.Agent)
					}
				}
			})
		}
	}
}

// A streamed run leaves the same tool spans as any other.
func TestStreamingChangesNothing(t *testing.T) {
	forScenario(t, "streaming", func(t *testing.T, scenario corpus.Scenario) {
		calls, _ := readAll(scenario)
		if diff := cmp.Diff(wantCalls(t, scenario, allOf), gotCalls(t, calls, allOf)); diff != "" {
			t.Errorf("calls (-happened +read):\n%s", diff)
		}
	})
}

// Without content the names are still there, and missing payloads are not captured instead of empty.
func TestNoContentIsNotCaptured(t *testing.T) {
	forScenario(t, "no_content", func(t *testing.T, scenario corpus.Scenario) {
		calls, _ := readAll(scenario)
		if diff := cmp.Diff(wantCalls(t, scenario, nameOf), gotCalls(t, calls, nameOf)); diff != "" {
			t.Errorf("calls (-happened +read):\n%s", diff)
		}
		for _, call := range calls {
			if call.Call.Arguments.Captured() || call.Call.Output.Captured() {
				t.Errorf("%s has arguments %v and output %v, want neither", call.Call.Name, call.Call.Arguments, call.Call.Output)
			}
		}
	})
}

// A tool that the model invented and nothing executed is no call.
func TestUnknownToolIsNoCall(t *testing.T) {
	forScenario(t, "unknown_tool", func(t *testing.T, scenario corpus.Scenario) {
		if len(scenario.NotExecuted) == 0 {
			t.Fatal("the scenario has no call that was not executed")
		}
		if calls, _ := readAll(scenario); len(calls) > 0 {
			t.Errorf("%d calls were read, the first is %s", len(calls), calls[0].Call.Name)
		}
	})
}

// The conversation is on every run's agent span, except where the instrumentation does not export it.
func TestConversation(t *testing.T) {
	forScenario(t, "multi_turn", func(t *testing.T, scenario corpus.Scenario) {
		want := scenario.Runs[0].Session
		if strings.Contains(t.Name(), "openai-agents") {
			want = "" // it drops the group id
		}
		for _, r := range readings(scenario) {
			if r.Role == Agent && r.Conversation != want {
				t.Errorf("agent %s is in conversation %q, want %q", r.Agent, r.Conversation, want)
			}
		}
	})
}

// Exactly the call that failed is read as failed, and call ids are the model's where the spans have them.
func TestStatusAndCallID(t *testing.T) {
	forScenario(t, "error_then_retry", func(t *testing.T, scenario corpus.Scenario) {
		calls, _ := readAll(scenario)
		for _, r := range calls {
			i := slices.IndexFunc(scenario.Tools(), func(tool corpus.Tool) bool {
				return canonical(t, string(tool.Arguments)) == written(t, r.Call.Arguments)
			})
			if i < 0 {
				t.Fatalf("%s was called with no such arguments", r.Call.Name)
			}
			tool := scenario.Tools()[i]
			if got, want := r.Call.Status == scoring.StatusFailed, tool.Error != ""; got != want {
				t.Errorf("%s %s failed: %v, want %v", tool.Name, tool.Arguments, got, want)
			}
			want := tool.CallID
			if strings.Contains(t.Name(), "openai-agents") {
				want = "" // its spans have none
			}
			if r.CallID != want {
				t.Errorf("%s has call id %q, want %q", tool.Name, r.CallID, want)
			}
		}
	})
}

// plainLibraries are those in which each call is exactly one complete span. Tests of runs cover the others.
func plainLibraries(t *testing.T) []corpus.Library {
	t.Helper()
	var plain []corpus.Library
	for _, library := range corpus.Libraries(t) {
		switch {
		case library.Name == "vercel-ai@7.0.173+both-otel":
		case strings.HasPrefix(library.Name, "vercel-ai@"), strings.HasPrefix(library.Name, "openinference-vercel@"),
			strings.HasPrefix(library.Name, "openinference-openai-agents@"):
			plain = append(plain, library)
		}
	}
	return plain
}

func forScenario(t *testing.T, name string, check func(*testing.T, corpus.Scenario)) {
	t.Helper()
	for _, library := range plainLibraries(t) {
		for _, scenario := range library.Scenarios {
			if scenario.Name == name {
				t.Run(library.Name, func(t *testing.T) { check(t, scenario) })
			}
		}
	}
}

// readings reads every span.
func readings(scenario corpus.Scenario) []Reading {
	var all []Reading
	for _, request := range scenario.Requests {
		forSpans(request, func(scope string, span ptrace.Span) {
			if r, ok := ScopeOf(scope).Read(span); ok {
				all = append(all, r)
			}
		})
	}
	return all
}

func forSpans(request ptrace.Traces, visit func(scope string, span ptrace.Span)) {
	for _, resource := range request.ResourceSpans().All() {
		for _, scope := range resource.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				visit(scope.Scope().Name(), span)
			}
		}
	}
}

// readAll splits the readings into calls and the names of agents.
func readAll(scenario corpus.Scenario) (calls []Reading, agents []string) {
	for _, r := range readings(scenario) {
		switch r.Role {
		case ToolCall:
			calls = append(calls, r)
		case Agent:
			agents = append(agents, r.Agent)
		}
	}
	return calls, agents
}

// A call in the text form by which two multisets of calls are compared.
func allOf(name, arguments string) string { return name + " " + arguments }
func nameOf(name, _ string) string        { return name }

func wantCalls(t *testing.T, scenario corpus.Scenario, form func(name, arguments string) string) []string {
	t.Helper()
	var calls []string
	for _, tool := range scenario.Tools() {
		calls = append(calls, form(tool.Name, canonical(t, string(tool.Arguments))))
	}
	slices.Sort(calls)
	return calls
}

func gotCalls(t *testing.T, readings []Reading, form func(name, arguments string) string) []string {
	t.Helper()
	var calls []string
	for _, r := range readings {
		calls = append(calls, form(r.Call.Name, written(t, r.Call.Arguments)))
	}
	slices.Sort(calls)
	return calls
}

// canonical is the one text that all equal JSON documents share.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// written is a payload's canonical text, or what it is instead.
func written(t *testing.T, p scoring.Payload) string {
	t.Helper()
	v, ok := p.Value()
	if !ok {
		return p.String()
	}
	return canonical(t, textOf(v))
}

// textOf writes a value as JSON again.
func textOf(v scoring.Value) string {
	switch v.Kind() {
	case scoring.Bool:
		return strconv.FormatBool(v.Bool())
	case scoring.Number:
		return v.Lexeme()
	case scoring.String:
		return string(attributes.AppendString(nil, v.Text()))
	case scoring.Array:
		var elements []string
		for e := range v.Elements() {
			elements = append(elements, textOf(e))
		}
		return "[" + strings.Join(elements, ",") + "]"
	case scoring.Object:
		var members []string
		for key, m := range v.Members() {
			members = append(members, string(attributes.AppendString(nil, key))+":"+textOf(m))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return "null"
}
