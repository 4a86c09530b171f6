package ownership

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// A Candidate is a run that calls may belong to.
type Candidate struct {
	agentrun.Span
	Kind      agentrun.AnchorKind
	AgentHash uint32 // a hash of the agent's name, 0 if unknown
	Agent     string // the agent's name, "" if that is not known or the run has closed
	State     State
	// ClosedAt is when a past run closed, in nanoseconds since 1970.
	ClosedAt int64
	// Inferred: a call represents the agent that it ran. Its span was forwarded, and the run closes with the run around it.
	Inferred bool
	// Contradicted: copies of the anchor contradict each other, or a run of another process also takes its calls.
	Contradicted bool
	// Guessed: it was given a call, and only another process has sent a span above that.
	Guessed bool
	// Truncated: calls that count for it were left out. taken is the number of the last call or response that it was given.
	Truncated bool
	taken     int
	// Conversation is the one that the anchor names, or else its first copy that names one.
	Conversation string
	// Anchors are the anchor and its copies. Calls and Responses belong to the candidate. A Candidate that is not Ready has
	// none.
	Anchors   []agentrun.Anchor
	Calls     []agentrun.PendingCall
	Responses []agentrun.ModelResponse
	// tools has the tools that the anchor's span lists. They are read for the first uncertain call, and then listed is true.
	tools  map[string]bool
	listed bool
}

// Home is the process that decides about a run. It is zero if every process decides: with [agentrun.Settings.WholeTrace],
// every sender that knows the trace ID has a part in the run. A stand-in belongs to the process that recorded calls, if only
// one did.
func (s *Candidate) Home(wholeTrace bool) agentrun.Process {
	if wholeTrace {
		return 0
	}
	if s.Kind != agentrun.Agent {
		if p, sole := agentrun.SoleProcess(s.Calls, s.Responses); sole {
			return cmp.Or(p, s.Process)
		}
	}
	return s.Process
}

// Name gives the names that others know to agents' spans without one.
func Name(candidates []Candidate, nameOf func(agentrun.SpanKey) string) {
	for i := range candidates {
		s := &candidates[i]
		if name := nameOf(s.Key()); name != "" && s.Kind == agentrun.Agent && s.State != Closed && !s.hasName() {
			s.Agent, s.AgentHash = name, compare.NameHash(name)
			for a := range s.Anchors {
				s.Anchors[a].Agent = name
			}
		}
	}
}

// hasName reports whether the agent's span, or a copy of it, has the agent's name.
func (s *Candidate) hasName() bool {
	return s.AgentHash != 0 || slices.ContainsFunc(s.Anchors, func(a agentrun.Anchor) bool { return a.Agent != "" })
}

// State says whether a Candidate takes calls.
type State uint8

const (
	Ready   State = iota // to be closed now
	Waiting              // its calls may still arrive
	Closed               // closed; its calls are late
)

// lacks reports whether the agent's span lists its tools, and the called tool is not among them.
func (s *Candidate) lacks(call *agentrun.PendingCall, tools func(ptrace.Span) []string) bool {
	if s.Kind != agentrun.Agent || len(s.Anchors) == 0 || tools == nil {
		return false
	}
	if !s.listed {
		s.listed, s.tools = true, make(map[string]bool)
		for _, name := range tools(s.Anchors[0].Held) {
			s.tools[name] = true
		}
	}
	return len(s.tools) > 0 && !s.tools[call.Name.Value()]
}

// none is the index of no candidate and of no call. Exported functions return it too, so it must stay -1.
const none = -1
