package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Members of what MCP's instrumentation writes of a result.
const (
	wrappedResult = "result"
	wrappedError  = "is_error"
)

func (s *source) isTraceloopMCP() bool {
	return s.scope == traceloopMCPJS || strings.HasPrefix(s.scope, traceloopMCPPy)
}

// mcpResult unwraps {"result": ..., "is_error": ...}, as the instrumentation of MCP clients writes it, and the list
// of its counterpart for servers.
func mcpResult(p scoring.Payload) (output scoring.Payload, failed bool) {
	switch {
	case p.Mentions(`"` + wrappedResult + `"`):
		return clientResult(p)
	case p.Mentions(`"` + content + `"`):
		return serverResult(p), false
	}
	return p, false
}

func clientResult(p scoring.Payload) (output scoring.Payload, failed bool) {
	v, _ := p.Value()
	if !wrapped.HasOnly(v, wrappedResult, wrappedError) {
		return p, false
	}
	failure, _ := v.Member(wrappedError)
	if result, ok := v.Member(wrappedResult); ok {
		p = wrapped.PayloadOf(result)
	}
	return p, failure.Bool()
}

func serverResult(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if v.Kind() != scoring.Array || v.Len() != 1 {
		return p
	}
	for block := range v.Elements() {
		text, ok := block.Member(content)
		if ok && text.Kind() == scoring.String && wrapped.HasOnly(block, "type", content) && member(block, "type") == wrappedText {
			return wrapped.PayloadOf(text)
		}
	}
	return p
}
