package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A caller that reads no outputs does not pay for unwrapping them.
func TestOutputsMayStayWrapped(t *testing.T) {
	const wrapped = `[{"type":"text","text":"18 degrees"}]`
	span := ptrace.NewSpan()
	span.Attributes().PutStr(genAIOperation, executeTool)
	span.Attributes().PutStr(genAIResult, wrapped)
	got, _ := ScopeOf("").Read(span)
	if want := scoring.JSON("18 degrees"); got.Call.Output != want {
		t.Errorf("the output is %v, want %v", got.Call.Output, want)
	}
	got, _ = ScopeOf("").WithoutOutputs().Read(span)
	if want := scoring.JSON(wrapped); got.Call.Output != want {
		t.Errorf("the output is %v, want %v: as it was written", got.Call.Output, want)
	}
}
