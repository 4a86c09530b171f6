// Package reconcile makes one call of the spans and model responses that record it.
//
// One tool call leaves several records: the span of the agent framework, and below it those of a protocol's client and
// server. A model response has its request, and a later request to the model repeats its result. Retried exports copy any of
// these. A [Reconciler] joins them when a run closes. It knows no open trace, no owner and no clock.
//
// # The rule
//
// Records that contradict each other are never joined, because either may be true. Records are of one call if
//
//   - they are of the same span: see package copies,
//   - one span is right below the other and has the same name ([Reconciler.FoldSpans]),
//   - one span has only the end of a call, and the other has its name and arguments, or its call ID,
//   - they have the same call ID and the same name, only one call can have that ID, and two instrumentations recorded them,
//   - one is a request of a model, and has the same call ID, else the same arguments, as the span.
//
// Case and separators of a name do not count. An ID alone joins nothing: a sender may give all calls one ID, and a forbidden
// call would vanish. If one instrumentation records an ID of one tool twice, these are two calls, and the run is contradicted:
// [Reconciled]. The outermost span stays, and the others fill in what it lacks:
//
//	span of the framework      search(q: "x")   no call ID, no output
//	request in the response    search(q: "x")   call_7Qb2kX9f
//	result in the next prompt                   call_7Qb2kX9f   "found"
//	one call                   search(q: "x")   call_7Qb2kX9f   "found"
//
// Package results says which call has which result. Where an instrumentation writes no tool spans, the request itself is the call:
// see responses.go.
//
// # Several processes
//
// The process that sent a run's span decides about the run. Another process, such as a protocol's server, completes calls and adds
// calls; it removes and changes none. A run that depends on another process says so: [Reconciled].
//
// # What it costs
//
// Senders decide how many records there are, and how long they are. A record is compared with at most
// [compare.MaxCandidates] others, a payload and a name are read once, and all work is counted: see [compare.Work].
//
// # Files
//
//	reconciler.go  what is kept from trace to trace
//	spans.go       spans below spans, and spans with only a result
//	ids.go         calls with one ID and one name
//	match.go       pairs spans with requests of models
//	responses.go   what requests and results add to the calls of a run
//	processes.go   what another process adds to a run
package reconcile
