package agentrun

// IsUniqueCallID reports whether a call id is one that only this call has. Some model servers count calls up from zero in
// every answer (call_0, functions.search:0), and then equal ids mean nothing by themselves.
func IsUniqueCallID(id string) bool {
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

// ScopedCallID is the id of a call, and who told it.
type ScopedCallID struct {
	ID      string
	Process Process
	Scope   Scope
}

// ProcessCallID is a call id as one process tells it.
type ProcessCallID struct {
	Process Process
	ID      string
}

// CallID is the id of a call of r, as its process tells it. It is empty for a call of another process: whoever gives
// the same ids to calls of two runs must not make one of those.
func (r *Run) CallID(call int) ProcessCallID {
	c := &r.Calls[call]
	if c.Process.DiffersFrom(r.Process()) {
		return ProcessCallID{}
	}
	return ProcessCallID{c.Process, c.CallID}
}
