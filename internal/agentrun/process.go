package agentrun

import (
	"cmp"
	"hash/fnv"
)

// Process identifies the process that sent a span, by its resource. The zero Process is unknown, as in records of early
// versions: it may be any.
//
// A Process is stored, so it must be the same in each run of this program. If a sender could make a resource with the Process
// of another sender, the processor would trust it like the other one. So a Process is a part of a cryptographic hash: see
// package processid.
type Process uint64

// DiffersFrom reports whether both processes are known, and not the same.
func (p Process) DiffersFrom(o Process) bool { return p != o && p != 0 && o != 0 }

// SoleProcess returns the only process that recorded the calls and responses. The second result is false if there are
// several. The process is zero if all are unknown.
func SoleProcess(calls []PendingCall, responses []ModelResponse) (p Process, sole bool) {
	for i := range calls {
		if p.DiffersFrom(calls[i].Process) {
			return p, false
		}
		p = cmp.Or(p, calls[i].Process)
	}
	for i := range responses {
		if p.DiffersFrom(responses[i].Process) {
			return p, false
		}
		p = cmp.Or(p, responses[i].Process)
	}
	return p, true
}

// Scope identifies an instrumentation of a process, by the name of its scope. The zero Scope is unknown.
type Scope uint32

// ScopeOf is the scope of that name.
func ScopeOf(name string) Scope {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return Scope(cmp.Or(h.Sum32(), 1))
}

// MayDiffer reports whether s and o may be different scopes: they differ, or both are unknown.
func (s Scope) MayDiffer(o Scope) bool { return s != o || s == 0 }
