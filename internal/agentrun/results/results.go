package results

import (
	"cmp"
	"iter"
	"sort"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Compare orders results by call ID. If one of a call did not fail, it is first: a call that failed may not count.
func Compare(a, b agentrun.ToolResult) int {
	failed := 0
	if a.Failed != b.Failed {
		if failed = -1; a.Failed {
			failed = 1
		}
	}
	return cmp.Or(cmp.Compare(a.ID, b.ID), failed, agentrun.ComparePayloads(a.Output, b.Output))
}

// Unique has the results that models of one process were shown, by call IDs that only one call can have.
type Unique struct {
	Shown   map[agentrun.ProcessCallID]agentrun.TimedResult
	Process agentrun.Process
}

// Of returns the result of the call with that ID. Records of early versions do not say which process had it.
func (u Unique) Of(id string) (o agentrun.TimedResult, ok bool) {
	if len(u.Shown) == 0 {
		return o, false
	}
	if o, ok = u.Shown[agentrun.ProcessCallID{Process: u.Process, ID: id}]; !ok && u.Process != 0 {
		o, ok = u.Shown[agentrun.ProcessCallID{Process: 0, ID: id}]
	}
	return o, ok
}

// MayComplete reports whether a model was shown something about the result of c that its span lacks.
func (u Unique) MayComplete(c *agentrun.PendingCall) bool {
	o, shown := u.Of(c.CallID)
	return shown && (o.Failed && c.Status == scoring.StatusUnset || o.Output.Captured() && !c.Output().Captured())
}

// Results has the results that models were shown: by call ID if only one call can have that, else in order of time.
type Results struct {
	// Users yields the ID and the time of each call and request that may have a result. It is asked when a result is used first.
	Users iter.Seq2[string, pcommon.Timestamp]

	unique     Unique
	repeatable map[string][]agentrun.TimedResult
	users      map[key]int // how many there are of each result; nil until a result is used
	work       *compare.Work
}

// A key is the ID of a call, and the place of its result among those of a repeatable ID.
type key struct {
	id    string
	place int
}

// New returns Results that have the unique ones. It counts its work in w.
func New(unique Unique, w *compare.Work) *Results {
	return &Results{unique: unique, repeatable: make(map[string][]agentrun.TimedResult), work: w}
}

// Add adds a result that a model was shown at that time, if its ID is repeatable. Results are added in order of time.
func (r *Results) Add(result agentrun.ToolResult, at pcommon.Timestamp) {
	if result.ID != "" && !agentrun.IsUniqueCallID(result.ID) {
		r.repeatable[result.ID] = append(r.repeatable[result.ID], agentrun.TimedResult{ToolResult: result, At: at})
	}
}

// Of returns the result of a call that was made at that time. If IDs are counted up, and so repeat, it is the next result
// with that ID.
func (r *Results) Of(id string, made pcommon.Timestamp) (agentrun.ToolResult, bool) {
	if agentrun.IsUniqueCallID(id) {
		shown, ok := r.unique.Of(id)
		return shown.ToolResult, ok
	}
	if next := r.next(id, made); next < len(r.repeatable[id]) {
		return r.repeatable[id][next].ToolResult, true
	}
	return agentrun.ToolResult{}, false
}

// next is the place of the next result of a repeatable ID.
func (r *Results) next(id string, made pcommon.Timestamp) int {
	shown := r.repeatable[id]
	return sort.Search(len(shown), func(i int) bool {
		*r.work++
		return shown[i].At >= made
	})
}

// OfSeveral reports whether the result of a call is that of other calls or requests, too.
func (r *Results) OfSeveral(id string, made pcommon.Timestamp) bool {
	if r.users == nil {
		r.users = make(map[key]int)
		for id, made := range r.Users {
			*r.work++
			r.users[r.keyOf(id, made)]++
		}
	}
	return r.users[r.keyOf(id, made)] > 1
}

func (r *Results) keyOf(id string, made pcommon.Timestamp) key {
	if agentrun.IsUniqueCallID(id) {
		return key{id: id}
	}
	return key{id, r.next(id, made)}
}

// Complete fills in the result of a call that the model was shown. If the result is that of several calls, it fills in nothing,
// and what it says is unsure.
func (r *Results) Complete(c *agentrun.PendingCall) {
	result, ok := r.Of(c.CallID, c.Start)
	if !ok {
		return
	}
	failed := result.Failed && c.Status == scoring.StatusUnset
	output := result.Output != (scoring.Payload{}) && !c.Output().Captured()
	if !failed && !output {
		return
	}
	if r.OfSeveral(c.CallID, c.Start) {
		c.FromOtherProcess.Forgotten = true
		return
	}
	if failed {
		c.Status = scoring.StatusFailed
	}
	if output {
		p := c.Captured()
		p.Output = result.Output
		c.Payloads = &p
	}
}
