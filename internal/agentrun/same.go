package agentrun

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// nameless is the name of a call that has none.
var nameless = unique.Make("")

// Telling reports whether a call id is one that only this call has. Some model servers count calls up from zero in
// every answer (call_0, functions.search:0), and then equal ids mean nothing by themselves.
func Telling(id string) bool {
	const shortest = 9 // Mistral's
	if len(id) < shortest {
		return false
	}
	digits := len(id)
	for digits > 0 && '0' <= id[digits-1] && id[digits-1] <= '9' {
		digits--
	}
	const counter = 4
	counted := len(id)-digits <= counter && digits < len(id) && digits > 0
	return !counted || id[digits-1] != '_' && id[digits-1] != ':' && id[digits-1] != '-'
}

// sameCall reports whether two spans have a call id that only one call can have.
func (r *record) sameCall(o *record) bool { return r.callID == o.callID && Telling(r.callID) }

// sameBelow reports whether a tool span below another of the same name tells of the same call. A tool may also call
// itself: then ids differ, or arguments do. A protocol may write arguments in a way of its own.
func (r *record) sameBelow(outer *record) bool {
	if r.name == nameless || r.name != outer.name || r.callID != "" && outer.callID != "" && r.callID != outer.callID {
		return false
	}
	return r.doubts.Protocol || !contradict(r.arguments(), outer.arguments())
}

func overlap(a, b Span) bool { return a.Start <= b.End && b.Start <= a.End }

// contradict reports whether two payloads are at hand and differ.
func contradict(a, b scoring.Payload) bool {
	x, known := a.Value()
	y, asked := b.Value()
	return known && asked && !scoring.Equal(x, y)
}
