package scan

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
)

// Record writes what is known about a span to e, for the storage. It leaves out a late call and a late model response: see
// [Recognized.Late].
func (k *Recognized) Record(e *record.Evidence) {
	e.Reset(k.Span.Trace)
	switch k.Reading.Role {
	case dialect.Session:
		e.AddParent(k.Span)
	case dialect.Step:
		e.AddStep(k.Span, k.Reading.Agent)
	case dialect.ModelCall:
		if !k.Late {
			e.AddResponse(k.Response)
		}
	case dialect.ToolCall:
		if !k.Late {
			e.AddCall(k.Call())
		}
	}
	if k.Response.OfAgent && !k.Late {
		e.AddResponse(k.Response)
	}
	if kind := k.Kind(); kind != agentrun.Root {
		e.AddAgentSpan(k.Span, kind)
	}
	if k.Reading.Conversation != "" {
		e.AddConversation(k.Span.Process, k.Reading.Conversation)
	}
}
