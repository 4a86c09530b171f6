package byprocess_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestAProcessHasWhatItSentAndWhatUnknownProcessesSent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		add    [][2]byte // process, flags
		of     agentrun.Process
		want   byprocess.Flags
		reason string
	}{
		{"nothing", nil, 1, 0, "a process of which nothing came has nothing"},
		{"its own", [][2]byte{{1, byte(byprocess.HasCalls)}, {2, byte(byprocess.HasAgent)}}, 2, byprocess.HasAgent, "what another process sent says nothing about this one"},
		{"twice", [][2]byte{{1, byte(byprocess.HasCalls)}, {1, byte(byprocess.HasAgent)}}, 1, byprocess.HasCalls | byprocess.HasAgent, "flags add up"},
		{"an unknown one first", [][2]byte{{0, byte(byprocess.HasCalls)}, {1, byte(byprocess.HasAgent)}}, 1, byprocess.HasCalls | byprocess.HasAgent, "an old record may be of any process"},
		{"an unknown one later", [][2]byte{{1, byte(byprocess.HasAgent)}, {0, byte(byprocess.HasCalls)}}, 1, byprocess.HasCalls | byprocess.HasAgent, "an old record may be of any process"},
		{"asked of an unknown one", [][2]byte{{1, byte(byprocess.HasAgent)}, {2, byte(byprocess.HasCalls)}}, 0, byprocess.HasCalls | byprocess.HasAgent, "it may be any of them"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var table byprocess.Table
			grown := 0
			for _, a := range tc.add {
				grown += table.Add(agentrun.Process(a[0]), byprocess.Flags(a[1]))
			}
			if got := table.Of(tc.of); got != tc.want {
				t.Errorf("process %d has %b, want %b: %s", tc.of, got, tc.want, tc.reason)
			}
			if grown != table.Bytes() {
				t.Errorf("the table grew by %d bytes and has %d", grown, table.Bytes())
			}
		})
	}
}

func TestTheLowestConversationCountsInAnyOrder(t *testing.T) {
	said := [...]struct {
		by agentrun.Process
		id string
	}{{1, "b"}, {1, "a"}, {2, "d"}, {2, "c"}, {1, ""}, {3, "e"}}
	for first := range said {
		c := new(byprocess.Conversations)
		grown := byprocess.ConversationsBytes
		for i := range said {
			s := said[(first+i)%len(said)]
			grown += c.Add(s.by, s.id)
		}
		for by, want := range map[agentrun.Process]string{1: "a", 2: "c", 3: "e", 4: "a"} {
			if got := c.Of(by); got != want {
				t.Errorf("beginning with %d: process %d is of conversation %q, want %q", first, by, got, want)
			}
		}
		if own := c.Own(4); own != "" {
			t.Errorf("a process that named none has %q of its own", own)
		}
		if grown != c.Bytes() {
			t.Errorf("beginning with %d: grew to %d bytes and has %d", first, grown, c.Bytes())
		}
	}
	if none := (*byprocess.Conversations)(nil); none.Of(1) != "" || none.Bytes() != 0 {
		t.Error("a trace that names no conversation has one")
	}
}

func TestOneProcessShowsABoundedNumberOfAgents(t *testing.T) {
	const most = 128
	var s byprocess.InferredAgents
	grown := 0
	add := func(process agentrun.Process, id pcommon.SpanID) (full bool) {
		n, full := s.Add(agentrun.SpanKey{Process: process, ID: id})
		grown += n
		return full
	}
	if add(1, pcommon.SpanID{}) {
		t.Error("the trace's root has no span above it")
	}
	id := func(i int) pcommon.SpanID { return pcommon.SpanID{1, byte(i), byte(i >> 8)} }
	for i := range 1000 {
		if full, again := add(1, id(i)), add(1, id(i)); full != (i >= most) || again != full {
			t.Fatalf("span %d: full is %v, and %v for a step that comes twice", i, full, again)
		}
	}
	if add(2, id(0)) || !s.Has(agentrun.SpanKey{Process: 2, ID: id(0)}) {
		t.Error("what one process sends keeps another from showing its agent")
	}
	grown += s.Forget(agentrun.SpanKey{Process: 1, ID: id(0)}) + s.Forget(agentrun.SpanKey{Process: 1, ID: id(0)})
	if s.Has(agentrun.SpanKey{Process: 1, ID: id(0)}) || add(1, id(most)) {
		t.Error("a span that is an agent's own takes no room")
	}
	n := 0
	for range s.All {
		n++
	}
	if n != most+1 || grown != s.Bytes() {
		t.Errorf("%d agents in %d bytes, which grew by %d; want %d, and the same bytes", n, s.Bytes(), grown, most+1)
	}
	if add(0, pcommon.SpanID{3}) || !s.Has(agentrun.SpanKey{Process: 1, ID: pcommon.SpanID{3}}) {
		t.Error("an agent of an unknown process may be of any")
	}
}

// A result is kept as the first model call had it, in any order of arrival.
func TestEachResultIsKeptOnce(t *testing.T) {
	const id = "call_0123456789abcdefghij"
	early := agentrun.TimedResult{ToolResult: agentrun.ToolResult{ID: id, Output: scoring.Text("early")}, At: 1}
	late := agentrun.TimedResult{ToolResult: agentrun.ToolResult{ID: id, Output: scoring.Text("and late")}, At: 2}
	for _, order := range [][]agentrun.TimedResult{{early, late, early}, {late, early, late}} {
		var r byprocess.Results
		grown := 0
		for _, o := range order {
			grown += r.Add(1, o)
		}
		kept := r.ByCall()[agentrun.ProcessCallID{Process: 1, ID: id}]
		if len(r.ByCall()) != 1 || kept.At != early.At || kept.Output.Compare(early.Output) != 0 {
			t.Errorf("kept %v, want the early result alone", r.ByCall())
		}
		if grown != r.Bytes() {
			t.Errorf("grew by %d bytes and has %d", grown, r.Bytes())
		}
	}
}

func TestResultsThatStayInAResponseAreBounded(t *testing.T) {
	const unique = "call_0123456789abcdefghij"
	var all []agentrun.ToolResult
	for i := range 3 * byprocess.MaxRepeatable {
		all = append(all, agentrun.ToolResult{ID: strconv.Itoa(i)}) // another call may have it too
	}
	all = append(all, agentrun.ToolResult{ID: unique})
	for _, tc := range []struct {
		name   string
		parent pcommon.SpanID
		stays  bool
		reason string
	}{
		{"a model call below an agent", pcommon.SpanID{1}, false, "the trace has the result"},
		{"a model call that is a root", pcommon.SpanID{}, true, "its results lead to the step before"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := agentrun.ModelResponse{Span: agentrun.Span{Parent: tc.parent, Process: 1}, Results: slices.Clone(all)}
			var r byprocess.Results
			r.Take(&a)
			ids := make([]string, len(a.Results))
			for i := range a.Results {
				ids[i] = a.Results[i].ID
			}
			if stays := slices.Contains(ids, unique); stays != tc.stays {
				t.Errorf("the result stays: %v, want %v: %s", stays, tc.stays, tc.reason)
			}
			if len(r.ByCall()) != 1 {
				t.Errorf("%d results by call, want the one whose ID is unique", len(r.ByCall()))
			}
			if newest := strconv.Itoa(3*byprocess.MaxRepeatable - 1); len(ids) > byprocess.MaxRepeatable+1 || !slices.Contains(ids, newest) {
				t.Errorf("%d results stay (%s), want at most %d and the newest", len(ids), strings.Join(ids, " "), byprocess.MaxRepeatable+1)
			}
		})
	}
}
