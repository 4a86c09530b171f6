// Package toolcorrectnessconnector is an OpenTelemetry Collector connector, from traces to logs. It makes a log record of
// each verdict that the tool_correctness processor wrote on a span.
//
// # What it reads
//
// A span was judged if it has the string attribute tool_correctness.config. A verdict is one metric's part of it: the
// attributes M.status, M.passed, M.threshold, M.score and M.reason, where M is the name of the metric. The connector keeps
// no state and reads nothing else. It may stand in the same collector as the processor or in another one behind it, and it
// should stand before a sampler.
//
// # What it writes
//
// Each record is an event of the semantic conventions, gen_ai.evaluation.result. It has the trace id and the span id of
// the judged span, the span's resource, and the end of the span as its time. See [Config] for what can be chosen.
//
// # What it leaves out
//
// Attributes pass through other components on their way, so any of them may be missing or changed. A verdict is invalid if
// its status is unknown, a value has a wrong type, or the score is outside [0, 1]. It is counted and gets no record. A copy
// of a span in the same request gets no second record.
//
//go:generate make -C .. generate
package toolcorrectnessconnector // import "github.com/toolcorrectness/toolcorrectnessprocessor/connector"
