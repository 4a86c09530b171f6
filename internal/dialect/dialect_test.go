package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A row of the dialects' tables is one span and its expected reading.
type row struct {
	name       string
	scope      string
	span       string // its name
	parent     bool   // it has one
	attributes map[string]any
	events     []happened
	status     ptrace.StatusCode
	want       Reading // the zero value: Nothing
	reason     string  // why this is right, for the next reader: required
}

// happened is an event of a row's span.
type happened struct {
	name       string
	attributes map[string]any
}

func checkRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if r.reason == "" {
				t.Fatal("the row has no reason")
			}
			span := newSpan(r.span, r.attributes)
			span.Status().SetCode(r.status)
			if r.parent {
				span.SetParentSpanID(pcommon.SpanID{1})
			}
			for _, e := range r.events {
				event := span.Events().AppendEmpty()
				event.SetName(e.name)
				if err := event.Attributes().FromRaw(e.attributes); err != nil {
					t.Fatal(err)
				}
			}
			checkReading(t, r.scope, span, r.want, r.reason)
		})
	}
}

func checkReading(t *testing.T, scope string, span ptrace.Span, want Reading, reason string) {
	t.Helper()
	got, ok := ScopeOf(scope).Read(span)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
		t.Errorf("Read (-want +got):\n%s%s", diff, reason)
	}
	if ok != (want.Role != Nothing) {
		t.Errorf("Read reports %v for the role %v: %s", ok, want.Role, reason)
	}
	checkWithoutOutputs(t, scope, span, got)
}

// checkWithoutOutputs reads a span again for a caller that reads no outputs. Only the output may differ.
func checkWithoutOutputs(t *testing.T, scope string, span ptrace.Span, want Reading) {
	t.Helper()
	got, _ := ScopeOf(scope).WithoutOutputs().Read(span)
	got.Call.Output = want.Call.Output
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
		t.Errorf("without outputs, more than the output differs:\n%s", diff)
	}
}

// call is the reading of a tool call with a name only.
func call(name string) Reading { return Reading{Role: ToolCall, Call: scoring.Call{Name: name}} }

// with returns r after change, so that a row can add to it.
func (r Reading) with(change func(*Reading)) Reading {
	change(&r)
	return r
}

func TestNoMarkerIsNothing(t *testing.T) {
	checkRows(t, []row{
		{
			name:   "an empty span",
			reason: "it says nothing",
		},
		{
			name:       "a database call",
			span:       "SELECT orders",
			attributes: map[string]any{"db.system.name": "postgresql", "db.query.text": "SELECT 1"},
			reason:     "most spans of a pipeline have nothing to do with agents",
		},
		{
			name:       "the span's name alone",
			span:       "execute_tool search",
			attributes: map[string]any{"http.route": "/tools"},
			reason:     "a name is free text; only an attribute that an instrumentation reserves marks a call",
		},
		{
			name: "a tool's attributes without a marker",
			attributes: map[string]any{
				genAIToolName: "search", genAIArguments: "{}", openInferenceToolName: "search", "ai.toolCall.name": "search",
			},
			reason: "model spans list tools as well; the marker tells them from calls",
		},
		{
			name: "a key that only begins like a marker",
			attributes: map[string]any{
				genAIOperation + ".x": executeTool, openInferenceKind + "s": "TOOL", "ai.operationID": "ai.toolCall",
			},
			reason: "keys are compared whole, and case matters",
		},
	})
}

func TestTheFirstDialectThatKnowsTheSpanAnswers(t *testing.T) {
	checkRows(t, []row{
		{
			name: "vercel before openinference: a call",
			attributes: map[string]any{
				"ai.operationId": "ai.toolCall", "ai.toolCall.name": "search", vercelResult: `"found"`,
				openInferenceKind: "TOOL", openInferenceToolName: "search",
				openInferenceOutput: `"found"`, openInferenceOutputType: "text/plain",
			},
			want:   call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(`"found"`) }),
			reason: "the SDK wrote JSON text; openinference-vercel's mime type calls it plain",
		},
		{
			name: "vercel before openinference: an agent",
			span: "ai.generateText support",
			attributes: map[string]any{
				"ai.operationId": "ai.generateText", "ai.telemetry.functionId": "support", openInferenceKind: "AGENT",
			},
			want:   Reading{Role: Agent, Agent: "support"},
			reason: "the function's id is the agent's name, not the span's name that openinference would take",
		},
		{
			name:       "a dialect may know a span as nothing",
			attributes: map[string]any{"ai.operationId": "ai.embed", openInferenceKind: "AGENT"},
			reason:     "no agent runs, whatever the other dialect believes",
		},
		{
			name:       "gen_ai leaves what it does not know to openinference",
			attributes: map[string]any{genAIOperation: "retrieval", openInferenceKind: "TOOL", openInferenceToolName: "search"},
			want:       call("search"),
			reason:     "a tool may look something up, and only OpenInference says that it is a tool",
		},
		{
			name: "vercel before gen_ai",
			span: "execute_tool search",
			attributes: map[string]any{
				"ai.operationId": "ai.toolCall", vercelArguments: `{"q":"a"}`,
				genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1",
			},
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Arguments = "call_1", scoring.JSON(`{"q":"a"}`)
			}),
			reason: "Sentry's SDK renames the tool's name and id, and leaves the arguments under the AI SDK's key",
		},
	})
}

func TestReadLeavesTheSpanAsItWas(t *testing.T) {
	for _, span := range []ptrace.Span{ordinarySpan(), toolSpan(), agentSpan(), openInferenceVercelSpan(), mapSpan()} {
		before := ptrace.NewSpan()
		span.CopyTo(before)
		ScopeOf("scope").Read(span)
		if !before.Attributes().Equal(span.Attributes()) || before.Name() != span.Name() {
			t.Errorf("Read changed %s", before.Name())
		}
	}
}

// Each dialect is asked for an attribute or a scope.
func TestEachDialectIsAskedForItsMarks(t *testing.T) {
	for i := range dialects {
		d := &dialects[i]
		for _, key := range d.marks {
			if findMarkers(newSpan("", map[string]any{key: ""}).Attributes())&(1<<i) == 0 {
				t.Errorf("%s is not asked for spans with %s", d.name, key)
			}
		}
		for _, scope := range d.scopes {
			if ScopeOf(scope).markers&(1<<i) == 0 {
				t.Errorf("%s is not asked for spans of the scope %s", d.name, scope)
			}
		}
		if len(d.marks)+len(d.scopes) == 0 {
			t.Errorf("%s is asked for no key and no scope", d.name)
		}
	}
}

func TestOrdinarySpansCostNoAllocation(t *testing.T) {
	for name, span := range map[string]ptrace.Span{
		"ordinary": ordinarySpan(), "model call": modelCallSpan(), "tool": toolSpan(), "agent": agentSpan(),
	} {
		var r Reading
		var scratch Scratch
		if n := testing.AllocsPerRun(100, func() { readAgain("scope", span, &scratch, &r) }); n != 0 {
			t.Errorf("reading the %s span allocates %v times", name, n)
		}
	}
}
