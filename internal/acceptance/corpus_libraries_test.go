package acceptance

import (
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// Every archive is whole: named as its library, with the same kinds of scenarios, each with spans and with runs.
func TestLibraries(t *testing.T) {
	if n := len(corpus.Libraries(t)); n != 27 {
		t.Errorf("%d libraries of JavaScript, want 27", n)
	}
	if n := len(corpus.Python(t)); n != 46 {
		t.Errorf("%d libraries of Python, want 46", n)
	}
	if n := len(corpus.Others(t)); n != 14 {
		t.Errorf("%d libraries of other languages and of command lines, want 14", n)
	}
	libraries := corpus.All(t)
	for _, library := range libraries {
		t.Run(library.Name, func(t *testing.T) {
			if reopened := corpus.Open(t, library.Name); reopened.Name != library.Name {
				t.Errorf("the archive of %s holds %s", library.Name, reopened.Name)
			}
			if len(library.Packages) == 0 || len(library.Scenarios) < fewest(library.Name) {
				t.Errorf("%d packages and %d scenarios, want some and 13 or more, 4 of Codex, or 9 of the conventions", len(library.Packages), len(library.Scenarios))
			}
			for _, scenario := range library.Scenarios {
				checkScenario(t, scenario, !strings.HasPrefix(library.Name, "semconv-genai-reference@"))
			}
		})
	}
}

// fewest is how many scenarios a library has at least. Codex writes 340 spans for a call, so few of its runs are kept.
func fewest(library string) int {
	if strings.HasPrefix(library, "codex-cli@") {
		return 4
	}
	if strings.HasPrefix(library, "semconv-") {
		return 9
	}
	return 13
}

// checkScenario checks one recording. The conventions' reference scenarios do not name the agents of tools.
func checkScenario(t *testing.T, scenario corpus.Scenario, namesAgents bool) {
	t.Helper()
	spans := 0
	for _, request := range scenario.Requests {
		spans += request.SpanCount()
	}
	if spans == 0 || len(scenario.Runs) == 0 {
		t.Errorf("%s has %d spans and %d runs, want some of both", scenario.Name, spans, len(scenario.Runs))
	}
	wantsTools := scenario.Name != "no_tool" && scenario.Name != "unknown_tool" && !strings.HasSuffix(scenario.Name, "_invoke_agent")
	if wantsTools != (len(scenario.Tools()) > 0) {
		t.Errorf("%s has %d tools", scenario.Name, len(scenario.Tools()))
	}
	for _, tool := range scenario.Tools() {
		if namesAgents && tool.Agent == "" || tool.Name == "" || len(tool.Arguments) == 0 || tool.Order == 0 {
			t.Errorf("%s has a tool without an agent, a name, arguments or its order: %+v", scenario.Name, tool)
		}
	}
}
