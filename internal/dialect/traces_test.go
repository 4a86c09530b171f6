package dialect

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The traces to try the processor on come from eight frameworks. The oracle for what they hold is testdata/traces/README.md,
// which is what the tools logged. Lines are sorted: the order of calls is not a dialect's business. A span that only has only
// the end of a call is listed as its outcome; it is no second call.
func TestTracesToTry(t *testing.T) {
	const hidden = " not captured"
	for _, tc := range []struct {
		file   string
		want   []string
		reason string // why this is right, for the next reader: required
	}{
		{"vercel-ai-6-parallel-tools", []string{
			"agent travel_desk",
			`convert_currency {"amount":5.5,"from":"USD","to":"JPY"}`, `get_weather {"city":"Lima"}`, `get_weather {"city":"Rome"}`,
		}, "the vercel dialect"},
		{"vercel-ai-7-repeated-tool", []string{
			"agent travel_desk",
			`get_weather {"city":"Bergen"}`, `get_weather {"city":"Oslo"}`, `get_weather {"city":"Oslo"}`,
		}, "gen_ai; the agent's name is not the model in the span's name"},
		{"openai-agents-sub-agent", []string{
			"agent researcher", "agent travel_desk",
			`convert_currency {"amount":10,"from":"EUR","to":"USD"}`, `get_weather {"city":"Bergen"}`, `get_weather {"city":"Oslo"}`,
			`researcher {"input":"Find the weather in Oslo and Bergen."}`, "workflow assist",
		}, "openinference; the trace's root is no agent"},
		{"langgraph-typed-args", []string{
			"agent travel_desk",
			`create_booking {"big":1234567890123,"confirmed":false,"empty":"","legs":[{"from":"OSL","price":199.5,"stops":[],"to":"NRT"},` +
				`{"from":"NRT","price":1040.25,"stops":["HKG","SIN"],"to":"SYD"}],"meta":{},"neg":-7,` +
				`"passenger":{"age":42,"name":"Zoë Müller 東京 🚆","notes":null,"vip":true},"ratio":0.125,"seats":2,` +
				`"tags":["a \"quoted\" tag","it's","line\nbreak"],"zero":0}`,
		}, "openinference; the agent is the chain that LangChain's metadata names"},
		{"mastra-two-sequential", []string{
			"agent travel_desk",
			`convert_currency {"amount":100,"from":"EUR","to":"NOK"}`, `get_weather {"city":"Paris","unit":"celsius"}`,
		}, "mastra; agent_step spans are no agents, and tool choices inside of a model's answer no calls"},
		{"google-adk-two-runs", []string{
			"agent order_desk", "agent travel_desk", `get_weather {"city":"Oslo"}`, `lookup_order {"order_id":"A-100"}`,
			"workflow ", "workflow ",
		}, "adk; arguments are under its own keys, and an invocation has no name"},
		{"strands-error-then-retry", []string{
			"agent travel_desk", `lookup_order {"order_id":"A-100"}`, `lookup_order {"order_id":"A-404"}`,
		}, "strands; arguments are in span events"},
		{"claude-agent-sdk-two-sequential", []string{
			"agent ", "convert_currency" + hidden, "get_weather" + hidden, "outcome ok", "outcome ok",
		}, "claude; neither the agent's name nor arguments are in the spans, and what a tool's span encloses is no second call"},
	} {
		t.Run(tc.file, func(t *testing.T) {
			var got []string
			for _, request := range requests(t, tc.file+".jsonl") {
				forSpans(request, func(scope string, span ptrace.Span) {
					switch r, _ := ScopeOf(scope).Read(span); {
					case r.Traits.Has(ResultOnly):
						got = append(got, "outcome "+r.Call.Status.String())
					case r.Role == ToolCall:
						got = append(got, r.Call.Name+" "+written(t, r.Call.Arguments))
					case r.Role == Agent, r.Role == Workflow:
						got = append(got, r.Role.String()+" "+r.Agent)
					}
				})
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("readings (-want +got):\n%s%s", diff, tc.reason)
			}
		})
	}
}

func requests(t *testing.T, file string) []ptrace.Traces {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "testdata", "traces", file))
	if err != nil {
		t.Fatal(err)
	}
	var all []ptrace.Traces
	var unmarshaler ptrace.JSONUnmarshaler
	for line := range bytes.Lines(content) {
		request, err := unmarshaler.UnmarshalTraces(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, request)
	}
	return all
}
