// Package spans writes the spans of agents for the tests that play faults and attacks, and reads the verdicts on them.
package spans

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// NoParent is the parent of a root.
var NoParent pcommon.SpanID

// Epoch is the time from which spans are timed.
var Epoch = time.Unix(1_700_000_000, 0)

// RandomTrace is the ID of a new trace.
func RandomTrace(rng *rand.Rand) (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:8], rng.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rng.Uint64())
	return id
}

// RandomID is the ID of a new span.
func RandomID(rng *rand.Rand) (id pcommon.SpanID) {
	binary.LittleEndian.PutUint64(id[:], rng.Uint64()|1)
	return id
}

// A Span is written a piece at a time.
type Span struct{ ptrace.Span }

// In adds a span to a list. It takes a second.
func In(list ptrace.SpanSlice, trace pcommon.TraceID, id, parent pcommon.SpanID) Span {
	s := Span{list.AppendEmpty()}
	s.SetTraceID(trace)
	s.SetSpanID(id)
	s.SetParentSpanID(parent)
	return s.From(0, time.Second)
}

// From sets when the span began and ended, after the epoch.
func (s Span) From(start, end time.Duration) Span {
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(Epoch.Add(start)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(Epoch.Add(end)))
	return s
}

// With sets an attribute.
func (s Span) With(key, value string) Span {
	s.Attributes().PutStr(key, value)
	return s
}

// Agent makes the span that of an agent, which may have no name.
func (s Span) Agent(name string) Span {
	s.With("gen_ai.operation.name", "invoke_agent")
	if name != "" {
		s.With("gen_ai.agent.name", name)
	}
	return s
}

// Tool makes the span that of a tool call.
func (s Span) Tool(name string) Span {
	return s.With("gen_ai.operation.name", "execute_tool").With("gen_ai.tool.name", name)
}

// Chat makes the span that of a model call.
func (s Span) Chat() Span { return s.With("gen_ai.operation.name", "chat") }

// All yields the spans of td, each with its resource.
func All(td ptrace.Traces) iter.Seq2[ptrace.ResourceSpans, ptrace.Span] {
	return func(yield func(ptrace.ResourceSpans, ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if !yield(rs, s) {
						return
					}
				}
			}
		}
	}
}

// A Verdict is what a span of an agent says.
type Verdict struct {
	Judged, Passed, Complete bool
	Score                    float64
	Called                   string // the names, with commas between them
	Because                  string // why it is not complete, with commas between the words
}

// VerdictOf reads the attributes of a span.
func VerdictOf(m pcommon.Map) (v Verdict) {
	_, v.Judged = m.Get("tool_correctness.status")
	v.Passed, v.Complete = isTrue(m, "tool_correctness.passed"), isTrue(m, "tool_correctness.complete")
	if score, ok := m.Get("tool_correctness.score"); ok {
		v.Score = score.Double()
	}
	v.Called, v.Because = listed(m, "tool_correctness.called"), listed(m, "tool_correctness.incomplete_because")
	return v
}

func isTrue(m pcommon.Map, key string) bool {
	v, ok := m.Get(key)
	return ok && v.Bool()
}

func listed(m pcommon.Map, key string) string {
	var all []string
	if list, ok := m.Get(key); ok {
		for _, text := range list.Slice().All() {
			all = append(all, text.Str())
		}
	}
	return strings.Join(all, ",")
}

// String says a verdict in words.
func (v Verdict) String() string {
	if !v.Judged {
		return "no verdict"
	}
	return fmt.Sprintf("score %.3g, passed %t, complete %t, called [%s]", v.Score, v.Passed, v.Complete, v.Called)
}
