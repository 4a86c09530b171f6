package tracebuffer

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// candidate is a run that calls may belong to.
type candidate struct {
	agentrun.Span
	kind  agentrun.AnchorKind
	agent uint32 // a hash of the agent's name, 0 if that is not known
	name  string // the agent's name, "" if that is not known or the run has closed
	state candidateState
	// closedAt is when a past run closed, in nanoseconds since 1970.
	closedAt int64
	// inner: a call stands for the agent that it ran. Its span has gone on, and the run closes with the one around it.
	inferred bool
	// contested: copies of the anchor contradict each other, or a run of another process takes its calls as well.
	contradicted bool
	// short: calls that count for it were left out. taken is the turn in which it was last given something.
	truncated bool
	taken     int
	// conversation is what the anchor tells, or else the first of its copies that does.
	conversation string
	// anchors are the anchor and its copies, calls and answers what belongs to it. Only where the state is ready.
	anchors   []agentrun.Anchor
	calls     []agentrun.PendingCall
	responses []agentrun.ModelResponse
	// tools are those that the anchor's span lists, if listed: they are looked up for the first call in doubt.
	tools  map[string]bool
	listed bool
}

// home is the process that decides about a run. It is zero where every process decides: with [agentrun.Settings.WholeTrace],
// because whoever knows the trace id takes part. A stand-in belongs to the only process that recorded calls, if there is only
// one.
func (s *candidate) home(wholeTrace bool) agentrun.Process {
	if wholeTrace {
		return 0
	}
	if s.kind != agentrun.Agent {
		if p, sole := agentrun.SoleProcess(s.calls, s.responses); sole {
			return cmp.Or(p, s.Process)
		}
	}
	return s.Process
}

type candidateState uint8

const (
	stateReady   candidateState = iota // to be closed now
	stateWaiting                       // its calls may still come
	stateClosed                        // closed; its calls are late
)

// lacks reports whether the span of an agent lists its tools, and that of a call is none of them.
func (s *candidate) lacks(call *agentrun.PendingCall, tools func(ptrace.Span) []string) bool {
	if s.kind != agentrun.Agent || len(s.anchors) == 0 || tools == nil {
		return false
	}
	if !s.listed {
		s.listed, s.tools = true, make(map[string]bool)
		for _, name := range tools(s.anchors[0].Held) {
			s.tools[name] = true
		}
	}
	return len(s.tools) > 0 && !s.tools[call.Name.Value()]
}
