package tracebuffer

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// nameless is the name of a call that has none.
var nameless = unique.Make("")

// sameCall reports whether two spans have a call id that only one call can have, and tell of the same tool. An id alone
// proves nothing: a sender may give all calls one id, and a forbidden call would vanish behind an expected one.
func (r *pendingCall) sameCall(o *pendingCall) bool {
	return r.callID == o.callID && agentrun.IsUniqueCallID(r.callID) && sameTool(r.name, o.name)
}

// sameTool reports whether two names are one but for case and separators.
func sameTool(a, b unique.Handle[string]) bool { return a == b || sameName(a.Value(), b.Value()) }

// sameName is [sameTool], of names in text form.
func sameName(a, b string) bool { return a == b || toolKey(a) == toolKey(b) }

// toolKey is what all names of one tool have in common: the folded name. Names without letters and digits, such as +
// and -, stay as they are.
func toolKey(name string) string {
	if key := folded(name); key != "" {
		return key
	}
	return name
}

// mergeIDs takes calls of one process with one call id and one name as one: the first of them, filled in from the others.
func mergeIDs(calls []pendingCall) []pendingCall {
	var index callIndex[int] // for more than few
	kept := 0
	for i := range calls {
		c := &calls[i]
		var at int
		var again bool
		if len(calls) <= few {
			at = indexOf(calls[:kept], func(k *pendingCall) bool { return k.sameCall(c) })
			again = at != none
		} else if at, again = index.find(c.callID, c.name.Value()); !again {
			index.add(c.callID, c.name.Value(), kept)
		}
		if again {
			calls[at].absorb(*c)
			continue
		}
		if kept < i {
			calls[kept] = *c
		}
		kept++
	}
	return calls[:kept]
}

// callIndex finds the place of a call by its id and its name. Of the ids of only one call each, which are nearly all,
// the names are never folded; of others each name is folded once.
type callIndex[P any] struct {
	byID   map[string]firstCall[P]
	byName map[callName]P
}

// firstCall is the call of an id that came first. named: it stands under its name as well.
type firstCall[P any] struct {
	name  string
	at    P
	named bool
}

// callName is a call id and the [toolKey] of a name.
type callName struct{ id, tool string }

// find is where a call stands, if one of that id and name was added. Only an id that one call alone can have is found.
func (x *callIndex[P]) find(id, name string) (at P, known bool) {
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
	at, known = x.byName[callName{id, toolKey(name)}]
	return at, known
}

// add notes the place of a call that was not found.
func (x *callIndex[P]) add(id, name string, at P) {
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

func (x *callIndex[P]) put(id, name string, at P) {
	if x.byName == nil {
		x.byName = make(map[callName]P)
	}
	x.byName[callName{id, toolKey(name)}] = at
}
