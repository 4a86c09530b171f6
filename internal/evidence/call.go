package evidence

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Call is what a span says of a tool call.
type Call struct {
	Name string `cbor:"1,keyasint,omitzero"`
	// ID is the ID that the model gave the call, or "" if the span does not have it.
	ID        string             `cbor:"2,keyasint,omitzero"`
	Arguments scoring.Payload    `cbor:"3,keyasint,omitzero"`
	Output    scoring.Payload    `cbor:"4,keyasint,omitzero"`
	Status    scoring.CallStatus `cbor:"5,keyasint,omitzero"`
	Type      scoring.ToolType   `cbor:"6,keyasint,omitzero"`
	Traits    Traits             `cbor:"7,keyasint,omitzero"`
}

// Traits are what is peculiar about the span of a call. Other records of the call then decide.
type Traits struct {
	// ResultOnly: the span records how a call ended, and another span with the same name and arguments records its start.
	ResultOnly bool `cbor:"1,keyasint,omitzero"`
	// UnnamedArgument: the arguments are, or may be, the value of the only argument, or were passed by position. Names are missing.
	UnnamedArgument bool `cbor:"2,keyasint,omitzero"`
	// NormalizedName: the name has lost its case or its separators.
	NormalizedName bool `cbor:"3,keyasint,omitzero"`
	// MCP: the span is an MCP span. Another span says who made the call, if any does.
	MCP bool `cbor:"4,keyasint,omitzero"`
	// MCPServer: the span is an MCP server's.
	MCPServer bool `cbor:"5,keyasint,omitzero"`
	// UnknownTool: there may be no such tool. If the agent's list of tools agrees, nothing was called.
	UnknownTool bool `cbor:"6,keyasint,omitzero"`
	// NotMade: the span says that nothing executed the call.
	NotMade bool `cbor:"7,keyasint,omitzero"`
}

// IsUniqueCallID reports whether a call id is one that only this call has. Some model servers count calls up from zero in
// every answer (call_0, functions.search:0), and then equal ids mean nothing by themselves.
func IsUniqueCallID(id string) bool {
	const shortest = 9 // Mistral's
	if len(id) < shortest {
		return false
	}
	const counter = 4 // digits of one
	end := id[len(id)-counter-1:]
	at := len(end) - 1
	for at >= 0 && end[at]-'0' <= 9 {
		at--
	}
	return at < 0 || at == len(end)-1 || end[at] != '_' && end[at] != ':' && end[at] != '-'
}
