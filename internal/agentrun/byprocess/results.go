package byprocess

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/results"
)

const (
	// MaxRepeatable bounds how many results of a response are kept whose call IDs are not unique.
	MaxRepeatable = 64
	// ResultBytes is the size of a result without its texts.
	ResultBytes = 84
)

// Results has the results that models of each process were shown, by call IDs that only one call can have.
type Results struct {
	byCall map[agentrun.ProcessCallID]agentrun.TimedResult
	size   int // how many bytes byCall keeps alive
}

// ByCall returns the results. The caller must not change them.
func (r *Results) ByCall() map[agentrun.ProcessCallID]agentrun.TimedResult { return r.byCall }

// Bytes is how many bytes the results keep alive.
func (r *Results) Bytes() int { return r.size }

// Take moves the results of a response to r, and returns by how many bytes r grew. A model is shown all results of its turn
// again and again, so r keeps each once: as the first model call had it. Only a model call that is a root also keeps its own
// results, because they lead to the step before. Results whose call IDs are not unique stay in the response.
func (r *Results) Take(a *agentrun.ModelResponse) (grown int) {
	before := r.size
	repeatable := 0
	count := len(a.Results)
	a.Results = slices.DeleteFunc(a.Results, func(result agentrun.ToolResult) bool {
		if !agentrun.IsUniqueCallID(result.ID) {
			repeatable++
			return repeatable < count-MaxRepeatable // the newest are last
		}
		r.Add(a.Process, agentrun.TimedResult{ToolResult: result, At: a.Start})
		return !a.Parent.IsEmpty() || a.OfAgent
	})
	if len(a.Results) < cap(a.Results)/2 { // which would stay alive for the few that are left
		a.Results = slices.Clone(a.Results)
	}
	return r.size - before
}

// Add keeps the first result of a call that a process recorded. It returns by how many bytes r grew.
func (r *Results) Add(p agentrun.Process, o agentrun.TimedResult) int {
	if r.byCall == nil {
		r.byCall = make(map[agentrun.ProcessCallID]agentrun.TimedResult)
	}
	before, id := r.size, agentrun.ProcessCallID{Process: p, ID: o.ID}
	known, again := r.byCall[id]
	switch {
	case !again:
		r.size += ResultBytes + len(o.ID) + o.Output.Size()
		r.byCall[id] = o
	case cmp.Or(cmp.Compare(o.At, known.At), results.Compare(o.ToolResult, known.ToolResult)) < 0:
		r.size += o.Output.Size() - known.Output.Size()
		r.byCall[id] = o
	}
	return r.size - before
}
