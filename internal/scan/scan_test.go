package scan_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// A spanOf writes attributes and more on a span whose parent is 9, in trace 1.
type spanOf func(s ptrace.Span)

func with(pairs ...string) spanOf {
	return func(s ptrace.Span) {
		for i := 0; i < len(pairs); i += 2 {
			s.Attributes().PutStr(pairs[i], pairs[i+1])
		}
	}
}

func (f spanOf) root() spanOf {
	return func(s ptrace.Span) {
		f(s)
		s.SetParentSpanID([8]byte{})
	}
}

func (f spanOf) and(key, text string) spanOf {
	return func(s ptrace.Span) {
		f(s)
		s.Attributes().PutStr(key, text)
	}
}

func (f spanOf) of(kind ptrace.SpanKind, flags uint32) spanOf {
	return func(s ptrace.Span) {
		f(s)
		s.SetKind(kind)
		s.SetFlags(flags)
	}
}

var (
	ordinary = with("http.request.method", "GET")
	agent    = with("gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "desk", "gen_ai.conversation.id", "c1", "session", "s1")
	tool     = with("gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "search", "gen_ai.tool.call.id", "call_1")
	chat     = with("gen_ai.operation.name", "chat", "gen_ai.request.model", "m")
	asking   = with("gen_ai.operation.name", "chat", "gen_ai.output.messages",
		`[{"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"search","arguments":{}}]}]`)
)

// batchOf is a batch of a span each, all of one process.
func batchOf(spans ...spanOf) ptrace.Traces {
	td := ptrace.NewTraces()
	all := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for i, write := range spans {
		s := all.AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{byte(i + 1)})
		s.SetParentSpanID([8]byte{9})
		write(s)
	}
	return td
}

// read returns the batch of td as a text: how many links and facts there are, and the kinds of the candidates.
func read(b *scan.Batch, set scan.Settings, td ptrace.Traces) string {
	b.Read(&set, td)
	parts := []string{fmt.Sprintf("%d links, %d facts, %d agents", len(b.Parents.Links), len(b.Facts), len(b.Agents))}
	for i := range b.Candidates {
		c := &b.Candidates[i]
		text := [...]string{evidence.Agent: "agent", evidence.Workflow: "workflow", evidence.Root: "root", evidence.Tool: "tool"}[c.Kind]
		if c.Call {
			text += " call"
		}
		if c.Conversation != "" {
			text += " of " + c.Conversation
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

var batches = []struct {
	name   string
	set    scan.Settings
	spans  []spanOf
	want   string
	reason string
}{
	{"an ordinary span", scan.Settings{}, []spanOf{ordinary}, "1 links, 0 facts, 0 agents", "it is a link between others at most"},
	{"an ordinary root", scan.Settings{}, []spanOf{ordinary.root()}, "1 links, 0 facts, 0 agents, root", "it represents a run if no agent does"},
	{"the server's side of a request", scan.Settings{}, []spanOf{ordinary.of(ptrace.SpanKindServer, 0)}, "1 links, 0 facts, 0 agents, root", "it is the first of its process"},
	{"a remote parent", scan.Settings{}, []spanOf{ordinary.of(ptrace.SpanKindInternal, 0x300)}, "1 links, 0 facts, 0 agents, root", "the flags say so"},
	{"a parent of the same process", scan.Settings{}, []spanOf{ordinary.of(ptrace.SpanKindInternal, 0x100)}, "1 links, 0 facts, 0 agents", "the flags say so"},
	{"an agent", scan.Settings{}, []spanOf{agent}, "0 links, 1 facts, 1 agents, agent of c1", "its span represents a run wherever it stands"},
	{"a configured conversation", scan.Settings{ConversationAttributes: []string{"none", "session"}}, []spanOf{agent}, "0 links, 1 facts, 1 agents, agent of s1", "the configuration goes before the dialect"},
	{"a configured conversation that is none", scan.Settings{ConversationAttributes: []string{"user", "session"}}, []spanOf{agent.and("user", "null")}, "0 links, 1 facts, 1 agents, agent of s1", "all users would share it"},
	{"an agent in a run of the whole trace", scan.Settings{Options: runs.Options{WholeTrace: true}}, []spanOf{agent, agent.root()},
		"0 links, 2 facts, 2 agents, root of c1", "the root alone represents the run, and reserved attributes go from both"},
	{"a call", scan.Settings{}, []spanOf{tool}, "0 links, 1 facts, 0 agents", "nothing is written on it"},
	{"a call that nothing called", scan.Settings{}, []spanOf{tool.root()}, "0 links, 1 facts, 0 agents, root", "the root of a trace may be all that there is"},
	{"a call on the server's side", scan.Settings{}, []spanOf{tool.of(ptrace.SpanKindServer, 0)}, "0 links, 1 facts, 0 agents", "its agent is in another process"},
	{"a call that gets a verdict", scan.Settings{AnnotateCalls: true}, []spanOf{tool, tool.root()}, "0 links, 2 facts, 0 agents, tool call, root call", "verdicts are written on calls"},
	{"a model call without messages", scan.Settings{}, []spanOf{chat}, "1 links, 0 facts, 0 agents", "it says nothing about calls"},
	{"a model call that asks", scan.Settings{}, []spanOf{asking}, "0 links, 1 facts, 0 agents", "it has a request"},
	{"a model call that asks for what has a span", scan.Settings{Options: runs.Options{Sources: runs.Spans}}, []spanOf{asking}, "1 links, 0 facts, 0 agents", "one request says nothing that its span does not"},
	{"no trace ID", scan.Settings{}, []spanOf{func(s ptrace.Span) { agent(s); s.SetTraceID([16]byte{}) }}, "0 links, 0 facts, 0 agents", "it belongs to no run"},
}

func TestWhatSpansAre(t *testing.T) {
	for _, tc := range batches {
		t.Run(tc.name, func(t *testing.T) {
			b := scan.NewBatch()
			if got := read(&b, tc.set, batchOf(tc.spans...)); got != tc.want {
				t.Errorf("%s, want %s: %s", got, tc.want, tc.reason)
			}
			if b.Spans != len(tc.spans) {
				t.Errorf("%d spans, want %d: each is counted, whatever it is", b.Spans, len(tc.spans))
			}
			facts := 0
			for _, g := range b.Groups {
				if g.Key != (evidence.Key{Trace: [16]byte{1}}) {
					t.Errorf("facts of %v, want those of trace 1 without a partition", g.Key)
				}
				facts += g.N
			}
			if facts != len(b.Facts) {
				t.Errorf("groups have %d facts of %d", facts, len(b.Facts))
			}
		})
	}
}

// Facts, links and candidates have the partition of their resource.
func TestPartitions(t *testing.T) {
	set := scan.Settings{PartitionBy: []string{"tenant.id", "env"}}
	partitionOf := func(pairs ...string) uint64 {
		td := batchOf(agent, ordinary)
		for i := 0; i < len(pairs); i += 2 {
			td.ResourceSpans().At(0).Resource().Attributes().PutStr(pairs[i], pairs[i+1])
		}
		b := scan.NewBatch()
		b.Read(&set, td)
		p := b.Groups[0].Key.Partition
		if b.Parents.Traces[0].Key.Partition != p || b.Candidates[0].Partition != p {
			t.Errorf("%v: what a batch has is of several partitions", pairs)
		}
		return p
	}
	a := partitionOf("tenant.id", "a", "service.name", "desk")
	if a != partitionOf("service.name", "clerk", "tenant.id", "a") {
		t.Error("other attributes keep spans apart")
	}
	for _, other := range [][]string{{"tenant.id", "b"}, {"env", "a"}, {"tenant.id", "a", "env", "b"}, nil} {
		if a == partitionOf(other...) {
			t.Errorf("%v is of the partition of tenant a", other)
		}
	}
}

// One process may send the steps of several partitions.
func TestStepsOfPartitions(t *testing.T) {
	td := ptrace.NewTraces()
	for _, tenant := range []string{"a", "a", "b", "a"} {
		part := batchOf(asking.root())
		part.ResourceSpans().At(0).Resource().Attributes().PutStr("tenant.id", tenant)
		part.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	b := scan.NewBatch()
	b.Read(&scan.Settings{PartitionBy: []string{"tenant.id"}}, td)
	if s := b.Steps; len(s) != 3 || s[0] == s[1] || s[0] != s[2] {
		t.Errorf("steps of %v, want those of a, b and a", s)
	}
}

// Only the processor removes reserved attributes and takes spans out. Reading changes nothing.
func TestReadingChangesNoSpan(t *testing.T) {
	for _, tc := range batches {
		td := batchOf(tc.spans...)
		var m ptrace.ProtoMarshaler
		before, _ := m.MarshalTraces(td)
		b := scan.NewBatch()
		read(&b, tc.set, td)
		if after, _ := m.MarshalTraces(td); !bytes.Equal(before, after) {
			t.Errorf("%s: the batch is changed", tc.name)
		}
	}
}

// A reused batch reads the same as a new one.
func TestABatchRemembersNothing(t *testing.T) {
	used := scan.NewBatch()
	for _, tc := range slices.Concat(batches, batches) {
		fresh := scan.NewBatch()
		want := read(&fresh, tc.set, batchOf(tc.spans...))
		if got := read(&used, tc.set, batchOf(tc.spans...)); got != want || !slices.Equal(used.Steps, fresh.Steps) {
			t.Errorf("%s: %s, and %s of a new batch", tc.name, got, want)
		}
		used.Reset()
	}
}
