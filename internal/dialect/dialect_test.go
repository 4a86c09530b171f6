package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// call is the reading of a tool call with a name only.
func call(name string) Reading { return Reading{Role: ToolCall, Call: scoring.Call{Name: name}} }

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
			if findMarks(newSpan("", map[string]any{key: ""}).Attributes())&(1<<i) == 0 {
				t.Errorf("%s is not asked for spans with %s", d.name, key)
			}
		}
		for _, scope := range d.scopes {
			if ScopeOf(scope).marks&(1<<i) == 0 {
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
