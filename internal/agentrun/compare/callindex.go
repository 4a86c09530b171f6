package compare

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// CallIndex finds the place of a call by its ID and its name. Nearly all IDs belong to one call, and then the name is never
// folded. Otherwise each name is folded once.
type CallIndex[P any] struct {
	byID   map[string]firstCall[P]
	byName map[CallName]P
}

// firstCall is the first call of an ID. named: it is in the index by name too.
type firstCall[P any] struct {
	name  string
	at    P
	named bool
}

// CallName is a call id and the [toolname.Key] of a name.
type CallName struct{ ID, Tool string }

// NewCallIndex returns an empty index with capacity for that number of calls.
func NewCallIndex[P any](calls int) CallIndex[P] {
	return CallIndex[P]{byID: make(map[string]firstCall[P], calls)}
}

// IndexOf indexes the calls of a run: of those with one ID and tool the first.
func IndexOf(calls []agentrun.Call) *CallIndex[int] {
	x := NewCallIndex[int](len(calls))
	for i := range calls {
		x.FindOrAdd(calls[i].CallID, calls[i].Name, i)
	}
	return &x
}

// FindOrAdd is Find, and Add if the call is not found, with one look-up less.
func (x *CallIndex[P]) FindOrAdd(id, name string, place P) (at P, known bool) {
	if !agentrun.IsUniqueCallID(id) {
		return at, false
	}
	first, again := x.byID[id]
	if !again {
		if x.byID == nil {
			x.byID = make(map[string]firstCall[P])
		}
		x.byID[id] = firstCall[P]{name: name, at: place}
		return at, false
	}
	if first.name == name {
		return first.at, true
	}
	if at, known = x.Find(id, name); !known {
		x.put(id, name, place)
	}
	return at, known
}

// Find returns the place of a call with that ID and name, if one was added. It finds only IDs that one call alone can have.
func (x *CallIndex[P]) Find(id, name string) (at P, known bool) {
	first, again := x.byID[id]
	switch {
	case !again:
		return at, false
	case first.name == name:
		return first.at, true
	case !first.named:
		x.put(id, first.name, first.at)
		first.named = true
		x.byID[id] = first
	}
	at, known = x.byName[CallName{id, toolname.Key(name)}]
	return at, known
}

// Add adds the place of a call that was not found.
func (x *CallIndex[P]) Add(id, name string, at P) {
	if !agentrun.IsUniqueCallID(id) {
		return
	}
	if _, again := x.byID[id]; again {
		x.put(id, name, at)
		return
	}
	if x.byID == nil {
		x.byID = make(map[string]firstCall[P])
	}
	x.byID[id] = firstCall[P]{name: name, at: at}
}

func (x *CallIndex[P]) put(id, name string, at P) {
	if x.byName == nil {
		x.byName = make(map[CallName]P)
	}
	x.byName[CallName{id, toolname.Key(name)}] = at
}
