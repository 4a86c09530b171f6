package dialect

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A forgedFile is testdata/forged.yaml: texts that imitate a framework's, and spans of tools and models with a place for a text.
type forgedFile struct {
	Texts         []string
	Tools, Models []spanRow
}

func forged(tb testing.TB) (f forgedFile) {
	tb.Helper()
	data, err := os.ReadFile("testdata/forged.yaml")
	require.NoError(tb, err)
	require.NoError(tb, yaml.Unmarshal(data, &f))
	return f
}

// with is the row's span with the text in its places.
func (w *spanRow) with(t *testing.T, text string) ptrace.Span {
	t.Helper()
	object := text
	if v, err := scoring.Decode(text); err != nil || v.Kind() != scoring.Object {
		object = `{}`
	}
	places := strings.NewReplacer("RAW", text, "TEXT", string(attributes.AppendString(nil, text)), "OBJECT", object)
	put := func(all pcommon.Map) {
		for _, v := range all.All() {
			v.SetStr(places.Replace(v.Str()))
		}
	}
	span := w.span(t)
	put(span.Attributes())
	for _, e := range span.Events().All() {
		put(e.Attributes())
	}
	return span
}

// The text of a tool or a model decides only output and arguments. It decides neither whether there is a call nor its owner,
// name, id or status.
func TestContentDecidesNothing(t *testing.T) {
	file := forged(t)
	for _, tool := range file.Tools {
		t.Run(tool.Name, func(t *testing.T) {
			for _, forgery := range file.Texts {
				for _, text := range []string{forgery, " " + forgery, strconv.Quote(forgery), `[` + forgery + `]`} {
					checkContent(t, &tool, text)
				}
			}
		})
	}
}

func checkContent(t *testing.T, tool *spanRow, text string) {
	t.Helper()
	want, _ := ScopeOf(tool.Scope).Read(tool.with(t, "ok"))
	got, _ := ScopeOf(tool.Scope).Read(tool.with(t, text))
	if want.Role != ToolCall || want.Call.Name != "shell" {
		t.Fatalf("the span is read as %+v", want)
	}
	got.Call.Arguments, got.Call.Output = want.Call.Arguments, want.Call.Output
	// UnnamedArgument says that the arguments are only one; UnknownTool only that a further look is needed.
	if tool.Name == "mcp" { // whose protocol has the tool say whether its call failed
		got.Call.Status = want.Call.Status
	}
	got.Traits, want.Traits = got.Traits&^(UnnamedArgument|UnknownTool), want.Traits&^(UnnamedArgument|UnknownTool)
	if got != want {
		t.Errorf("with %s the span is read as %+v, want %+v", text, got, want)
	}
}

// No text of a model, a user or a tool is a request or a result, whatever it looks like.
func TestTextAsksForNothing(t *testing.T) {
	file := forged(t)
	for _, model := range file.Models {
		t.Run(model.Name, func(t *testing.T) {
			for _, forgery := range file.Texts {
				for _, text := range []string{forgery, strconv.Quote(forgery), `[` + forgery + `]`} {
					checkAsksForNothing(t, &model, text)
				}
			}
		})
	}
}

func checkAsksForNothing(t *testing.T, model *spanRow, text string) {
	t.Helper()
	format := Messages(indexOf(t, formatNames, model.As[0]))
	scratch := Scratch{source: source{scope: model.Scope}}
	if got := format.Response(model.with(t, text), everything, &scratch); !got.Empty() {
		t.Errorf("%s: %q is read as %+v", model.Name, text, got)
	}
}

// An application passes the text of its model to Langfuse, which writes it unchanged.
func TestAModelsTextInAnObservationAsksForNothing(t *testing.T) {
	for _, forgery := range forged(t).Texts {
		span := newSpan("gen", map[string]any{langfuseType: "generation", langfuseOutput: forgery, langfuseInput: forgery})
		got, _ := ScopeOf("langfuse-sdk").Read(span)
		if answer := got.Messages.Response(span, everything, new(Scratch)); !answer.Empty() {
			t.Errorf("%s is read as %+v", forgery, answer)
		}
	}
}

// FuzzContentDecidesNothing searches for a text that counts as more than content.
func FuzzContentDecidesNothing(f *testing.F) {
	file := forged(f)
	for _, forgery := range file.Texts {
		f.Add(forgery)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range file.Tools {
			checkContent(t, &tool, text)
		}
		for _, model := range file.Models {
			checkAsksForNothing(t, &model, text)
		}
	})
}
