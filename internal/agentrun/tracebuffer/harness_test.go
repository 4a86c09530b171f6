package tracebuffer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A fixture is a Buffer with a clock of its own. Spans are named by one letter, which is their id.
type fixture struct {
	*Buffer
	t         testing.TB
	now       time.Time
	earlier   map[pcommon.SpanID]pcommon.SpanID
	forgotten pcommon.Timestamp // until when earlier ones may be forgotten
	known     int
	held      int
}

func newFixture(tb testing.TB, change func(*Settings)) *fixture {
	b := &fixture{t: tb, now: time.Unix(1000, 0), earlier: map[pcommon.SpanID]pcommon.SpanID{}}
	set := Settings{
		Settings: agentrun.Settings{
			Wait: 5 * time.Second, IdleTimeout: time.Minute, MaxCalls: 100, MaxPayload: 1 << 10,
			KeepArguments: true, KeepOutput: true,
		},
		MaxClosed: 8,
		Earlier: func(_ pcommon.TraceID, add func(span, parent pcommon.SpanID, by agentrun.Process)) pcommon.Timestamp {
			for span, parent := range b.earlier {
				add(span, parent, 0)
			}
			return b.forgotten
		},
		Known: func(_ pcommon.TraceID, known bool) {
			if known {
				b.known++
			} else {
				b.known--
			}
		},
	}
	if change != nil {
		change(&set)
	}
	b.Buffer = New(&set)
	return b
}

// at, id, say and held are short names, because the tables use them often.
var at, id, say, held = runtest.At, runtest.ID, runtest.Say, runtest.Held

func (b *fixture) call(name, spec string) bool {
	return b.callWith(spec, "", scoring.Call{Name: name})
}

func (b *fixture) callWith(spec, callID string, c scoring.Call) bool {
	_, late := b.AddCall(b.now, agentrun.Call{Call: c, Span: at(spec), CallID: callID})
	return !late
}

// anchor adds a span that may represent a run to the Buffer, and holds it if it must be held.
func (b *fixture) anchor(kind agentrun.AnchorKind, spec string) bool {
	s := at(spec)
	if kind == agentrun.Root {
		b.link(spec)
		b.early(spec)
	} else {
		b.AddAgentSpan(b.now, s, kind)
	}
	if !b.ShouldHold(s, kind) {
		return false
	}
	a := agentrun.Anchor{Span: s, Kind: kind, Agent: s.ID.String(), Held: ptrace.NewSpan(), Size: 100}
	if _, closed := b.Closed(a); closed {
		return false
	}
	b.Hold(b.now, a)
	b.held++
	return true
}

// tool adds a tool call and lets its span be held, if the test holds such spans. Each is a batch of its own.
func (b *fixture) tool(name, spec string) bool {
	b.call(name, spec)
	return b.aside(spec)
}

// aside lets the span of a call be held, if the test holds such spans.
func (b *fixture) aside(spec string) bool {
	a := agentrun.Anchor{Span: at(spec), Kind: agentrun.Tool, Held: ptrace.NewSpan(), Size: 100}
	if !b.ShouldHold(a.Span, agentrun.Tool) {
		return false
	}
	if _, closed := b.Closed(a); closed {
		return false
	}
	b.Hold(b.now, a)
	b.held++
	return true
}

func (b *fixture) link(spec string) { b.AddParent(b.now, at(spec)) }

// wait lets time pass and returns the closed runs.
func (b *fixture) wait(d time.Duration) agentrun.ClosedBatch {
	b.now = b.now.Add(d)
	return b.duly()
}

func (b *fixture) duly() (h agentrun.ClosedBatch) {
	for b.CloseDue(b.now, &h) {
	}
	return h
}

func (b *fixture) oldest() (h agentrun.ClosedBatch) {
	b.EvictOldest(b.now, &h)
	return h
}

func (b *fixture) drain() (h agentrun.ClosedBatch) {
	for b.CloseAll(b.now, &h) {
	}
	return h
}

// want compares closed runs with lines of [runtest.Say].
func (b *fixture) want(h agentrun.ClosedBatch, lines ...string) {
	b.t.Helper()
	got := say(h)
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		b.t.Errorf("closed\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(lines, "\n\t"))
	}
	b.held -= held(h)
}

// done checks that nothing is left: no memory, no open run, no held span.
func (b *fixture) done() {
	b.t.Helper()
	b.want(b.drain())
	if b.Size() != 0 || b.Open() != 0 || b.known != 0 || b.held != 0 {
		b.t.Errorf("left over: %d bytes, %d runs, %d traces, %d held spans", b.Size(), b.Open(), b.known, b.held)
	}
}

// answerOf is a model's response that requests calls with these ids.
func answerOf(s agentrun.Span, ids []string) agentrun.ModelResponse {
	a := agentrun.ModelResponse{Span: s}
	for _, id := range ids {
		a.Requests = append(a.Requests, agentrun.ToolRequest{ID: id, Name: "tool"})
	}
	return a
}
