package record

import (
	"encoding/binary"
	"fmt"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// MCPEvidence returns the bytes for [DecodeMCP]: an MCP span of a process, with its call.
func MCPEvidence(set *agentrun.Settings, p agentrun.Process, c agentrun.Call) []byte {
	e := NewEvidence(set, c.Trace)
	c.Process, c.Scope = 0, 0 // the process follows it
	e.AddCall(c)
	return binary.LittleEndian.AppendUint64(e.data, uint64(p))
}

// DecodeMCP reads [MCPEvidence]. Its error is an [ErrEvidence].
func DecodeMCP(evidence []byte) (p agentrun.Process, c agentrun.Call, err error) {
	const processBytes = 8
	n := len(evidence) - processBytes
	if n < 0 {
		return 0, c, ErrEvidence
	}
	d, err := Decode(evidence[:n])
	if err != nil {
		return 0, c, err
	}
	if len(d.Calls) != 1 {
		return 0, c, fmt.Errorf("%w: an MCP span is one call, got %d", ErrEvidence, len(d.Calls))
	}
	return agentrun.Process(binary.LittleEndian.Uint64(evidence[n:])), d.Calls[0].Call, nil
}
