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

// ScopedCallID is the ID of a call, with the instrumentation that recorded it.
type ScopedCallID struct {
	ID      string
	Process Process
	Scope   Scope
}

// ProcessCallID is the ID of a call, with the process that recorded it.
type ProcessCallID struct {
	Process Process
	ID      string
}

// CallID is the ID of a call of r, as its process recorded it. It is empty for a call of another process. A sender must not
// be able to join two runs by giving their calls the same IDs.
func (r *Run) CallID(call int) ProcessCallID {
	c := &r.Calls[call]
	if c.Process.DiffersFrom(r.Process()) {
		return ProcessCallID{}
	}
	return ProcessCallID{c.Process, c.CallID}
}
