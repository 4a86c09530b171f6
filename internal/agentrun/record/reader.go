package record

import (
	"encoding/binary"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// reader takes values from the front of data. A value that is missing or out of range makes it bad; everything that it
// returns after that is meaningless.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.data)) {
		r.bad = true
		return nil
	}
	taken := r.data[:n]
	r.data = r.data[n:]
	return taken
}

func (r *reader) byte() byte {
	if b := r.take(1); len(b) == 1 {
		return b[0]
	}
	return 0
}

// below is a byte that is lower than limit.
func (r *reader) below(limit byte) byte {
	b := r.byte()
	if b >= limit {
		r.bad = true
		return 0
	}
	return b
}

func (r *reader) anchorKind() agentrun.AnchorKind {
	return agentrun.AnchorKind(r.below(byte(agentrun.Root) + 1))
}

func (r *reader) flags() (set [8]bool) {
	b := r.byte()
	for i := range set {
		set[i] = b&(1<<i) != 0
	}
	return set
}

func (r *reader) count() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.bad = true
		return 0
	}
	r.data = r.data[size:]
	return n
}

// int reads a count of items that do not follow.
func (r *reader) int() int { return int(min(r.count(), math.MaxInt32)) }

func (r *reader) text() string { return string(r.take(r.count())) }

func (r *reader) time() pcommon.Timestamp {
	if b := r.take(8); len(b) == 8 {
		return pcommon.Timestamp(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (r *reader) id() (id pcommon.SpanID) {
	copy(id[:], r.take(uint64(len(id))))
	return id
}

func (r *reader) source() (s sender) {
	s.process = agentrun.Process(r.time())
	if b := r.take(4); len(b) == 4 {
		s.scope = agentrun.Scope(binary.LittleEndian.Uint32(b))
	}
	return s
}

func (r *reader) link(id pcommon.TraceID) agentrun.Span {
	return agentrun.Span{Trace: id, ID: r.id(), Parent: r.id()}
}

func (r *reader) span(id pcommon.TraceID) agentrun.Span {
	return agentrun.Span{Trace: id, ID: r.id(), Parent: r.id(), Start: r.time(), End: r.time()}
}

func (r *reader) payload() (p scoring.Payload) {
	if data := r.take(r.count()); !r.bad && p.UnmarshalBinary(data) != nil {
		r.bad = true
	}
	return p
}

func (r *reader) call(id pcommon.TraceID) Call {
	c := Call{Call: agentrun.Call{Span: r.span(id)}}
	c.Status = scoring.CallStatus(r.below(byte(scoring.StatusFailed) + 1))
	c.Type = scoring.ToolType(r.below(byte(scoring.MCPTool) + 1))
	set := r.flags()
	c.Inherited, c.Counted = set[0], set[1]
	c.Traits = agentrun.Traits{ResultOnly: set[2], UnnamedArgument: set[3], NormalizedName: set[4], MCP: set[5], MCPServer: set[6], UnknownTool: set[7]}
	c.Name, c.CallID = r.text(), r.text()
	c.Arguments, c.Output = r.payload(), r.payload()
	return c
}

func (r *reader) response(id pcommon.TraceID) agentrun.ModelResponse {
	a := agentrun.ModelResponse{Span: r.span(id)}
	set := r.flags()
	a.Counted, a.MessagesOnly, a.Begins, a.Offered = set[0], set[1], set[2], set[3]
	if set[4] {
		a.Answered = r.text()
	}
	a.OfAgent, a.Unread = set[5], set[6]
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Requests = append(a.Requests, agentrun.ToolRequest{ID: r.text(), Name: r.text(), Arguments: r.payload()})
	}
	for n := r.count(); n > 0 && !r.bad; n-- {
		a.Results = append(a.Results, r.result())
	}
	return a
}

// shares are those of a group of agents.
func (r *reader) shares() []agentrun.Share {
	shares := []agentrun.Share{}
	for n := r.count(); n > 0 && !r.bad; n-- {
		share := agentrun.Share{Agent: r.text(), Task: r.int()}
		for m := r.count(); m > 0 && !r.bad; m-- {
			share.Messages = append(share.Messages, r.int())
		}
		shares = append(shares, share)
	}
	return shares
}

// arePartOf reports whether shares have at most that number of requests in total.
func arePartOf(shares []agentrun.Share, requests int) bool {
	for _, share := range shares {
		if requests -= share.Requests(); requests < 0 {
			return false
		}
	}
	return true
}

func (r *reader) result() agentrun.ToolResult {
	return agentrun.ToolResult{ID: r.text(), Failed: r.flags()[0], Output: r.payload()}
}
