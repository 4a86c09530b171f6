package releasebatch

import "go.opentelemetry.io/collector/pdata/ptrace"

// A Loss has the lost spans of a release batch.
type Loss struct {
	Spans int
	IDs   []string // trace and span ids of the first ones
	Err   error    // the last refusal
}

// loggedIDs is how many lost spans of a release batch the log names.
const loggedIDs = 32

// Add counts traces as lost, because of err.
func (l *Loss) Add(td ptrace.Traces, err error) {
	l.Spans += td.SpanCount()
	l.Err = err
	for span := range spansOf(td) {
		if len(l.IDs) == loggedIDs {
			return
		}
		l.IDs = append(l.IDs, span.TraceID().String()+"/"+span.SpanID().String())
	}
}
