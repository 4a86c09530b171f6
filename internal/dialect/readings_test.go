package dialect

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A spanRow of a file in testdata/readings is a span and how it is read. What is left out is empty.
type spanRow struct {
	Name        string
	Reason      string // why this is right, for the next reader: required
	Scope, Span string
	Status      string // Ok or Error
	Child       bool   // it has a parent
	Attributes  values
	Events      []struct {
		Name       string
		Attributes values
	}
	Reads readsRow // without a role the span is nothing
	// As are the formats in which the span's messages say Says. Such a row tests Reads only if it has a role.
	As   []string
	Says saysRow
}

// A readsRow is a [Reading]. Call is the tool's name, ID that of the call.
type readsRow struct {
	Role, Agent, Call, ID      string
	Arguments, Output          payload
	Status                     string // of the call: ok or error
	Undescribed                bool
	Of, Conversation, Messages string
	Traits                     []string
}

// A saysRow is a [ModelResponse].
type saysRow struct {
	Requests, NotOffered []requestRow
	Results              []struct {
		ID              string
		Output          payload
		Failed, Refused bool
	}
	Shares                  []Share
	Begins, Offered, Unread bool
	Unrecorded              bool
}

type requestRow struct {
	ID, Name                 string
	Arguments, Output        payload
	Hosted, Answered, Failed bool
}

// values are attributes of YAML's types, and bytes behind !bytes.
type values map[string]any

func (a *values) UnmarshalYAML(node *yaml.Node) error {
	var raw map[string]any
	if err := node.Decode(&raw); err != nil {
		return err
	}
	for i := 0; i < len(node.Content); i += 2 {
		if v := node.Content[i+1]; v.Tag == "!bytes" {
			raw[node.Content[i].Value] = []byte(v.Value)
		}
	}
	*a = raw
	return nil
}

// A payload is written as the text of its attribute, JSON or not, or behind !text as one that is never taken for JSON.
type payload struct{ scoring.Payload }

func (p *payload) UnmarshalYAML(node *yaml.Node) error {
	switch node.Tag {
	case "!text":
		p.Payload = scoring.Text(node.Value)
	case "!omitted":
		p.Payload = scoring.Omitted()
	case "!too-large":
		p.Payload = scoring.TooLarge()
	default:
		p.Payload = scoring.JSON(node.Value)
	}
	return nil
}

// Words of the rows, in the order of the constants.
var (
	roleWords    = []string{"", "tool call", "agent", "workflow", "model call", "session", "step"}
	callStatuses = []string{"", "ok", "error"}
	formatNames  = []string{
		"", "Vercel", "GenAI", "OpenInference", "ADK", "Strands", "Genkit", "BeeAI", "LangSmith", "Langfuse", "Logfire", "Braintrust", "ADKRust",
		"Haystack", "Crew", "List", "Agent", "LiteLLM",
	}
	traitNames = []string{"ResultOnly", "UnnamedArgument", "NormalizedName", "MCP", "MessagesOnly", "UnknownTool", "LostName", "Part", "NotMade"}
)

func indexOf(t *testing.T, words []string, word string) int {
	t.Helper()
	i := slices.Index(words, word)
	require.GreaterOrEqual(t, i, 0, "%q is none of %q", word, words)
	return i
}

func (w *readsRow) reading(t *testing.T) Reading {
	t.Helper()
	r := Reading{
		Role: Role(indexOf(t, roleWords, w.Role)), Messages: Messages(indexOf(t, formatNames, w.Messages)),
		Agent: w.Agent, Of: w.Of, Conversation: w.Conversation, CallID: w.ID,
		Call: scoring.Call{
			Name: w.Call, Arguments: w.Arguments.Payload, Output: w.Output.Payload, Status: scoring.CallStatus(indexOf(t, callStatuses, w.Status)),
		},
	}
	for _, name := range w.Traits {
		r.Traits |= 1 << indexOf(t, traitNames, name)
	}
	return r
}

func (w *saysRow) response() ModelResponse {
	requests := func(rows []requestRow) (all []ToolRequest) {
		for _, q := range rows {
			all = append(all, ToolRequest{
				ID: q.ID, Name: q.Name, Arguments: q.Arguments.Payload, Output: q.Output.Payload, Hosted: q.Hosted, Answered: q.Answered, Failed: q.Failed,
			})
		}
		return all
	}
	a := ModelResponse{
		Requests: requests(w.Requests), NotOffered: requests(w.NotOffered), Shares: w.Shares, Begins: w.Begins, Offered: w.Offered, Unread: w.Unread, Unrecorded: w.Unrecorded,
	}
	for _, r := range w.Results {
		a.Results = append(a.Results, ToolResult{ID: r.ID, Output: r.Output.Payload, Failed: r.Failed, Refused: r.Refused})
	}
	return a
}

func (w *spanRow) span(t *testing.T) ptrace.Span {
	t.Helper()
	span := newSpan(w.Span, w.Attributes)
	span.Status().SetCode(ptrace.StatusCode(indexOf(t, []string{"", "Ok", "Error"}, w.Status)))
	if w.Child {
		span.SetParentSpanID(pcommon.SpanID{1})
	}
	for _, e := range w.Events {
		event := span.Events().AppendEmpty()
		event.SetName(e.Name)
		require.NoError(t, event.Attributes().FromRaw(e.Attributes))
	}
	return span
}

// Each span of testdata/readings is read as its row says: all of the reading, all of the response.
func TestReadings(t *testing.T) {
	files, err := filepath.Glob("testdata/readings/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		names := map[string]bool{}
		for _, row := range testrows.Read[spanRow](t, file) {
			require.False(t, names[row.Name], "%s has two rows %q", file, row.Name)
			names[row.Name] = true
			t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml")+"/"+row.Name, func(t *testing.T) {
				require.NotEmpty(t, row.Reason, "the row has no reason")
				if row.As == nil || row.Reads.Role != "" {
					checkReading(t, row.Scope, row.span(t), row.Reads.reading(t), row.Reason)
					r, _ := ScopeOf(row.Scope).Read(row.span(t))
					require.Equal(t, row.Reads.Undescribed, r.IsUndescribed(row.span(t)), "undescribed: %s", row.Reason)
				}
				for _, format := range row.As {
					m := Messages(indexOf(t, formatNames, format))
					var scratch Scratch
					scratch.source.scope = row.Scope
					got := m.Response(row.span(t), everything, &scratch)
					if len(got.NotOffered) == 0 {
						got.NotOffered = nil
					}
					if diff := cmp.Diff(row.Says.response(), got, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
						t.Errorf("%s (-want +got):\n%s%s", format, diff, row.Reason)
					}
					checkResponseLaws(t, m, row.span(t))
				}
			})
		}
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
	c := ScopeOf(scope)
	c.NoOutputs = true
	got, _ := c.Read(span)
	got.Call.Output = want.Call.Output
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
		t.Errorf("without outputs, more than the output differs:\n%s", diff)
	}
}
