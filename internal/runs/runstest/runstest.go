// Package runstest has a language for tests: logs as text, and what became of them as text. A line is a span, below its parent by
// its indentation: kind, name and the time in seconds.
//
//	agent planner [0-10]
//	  model [1-2] asks:search#call_search{"q":1}
//	  - span [2-5]
//	    tool search#call_search{"q":1}->found [3-4] failed
//
// A line that begins with "-" is a span that is not in the log: it is lost, or came before. Lines of one kind, name and start are
// copies of one span, unless the word id:x gives them other IDs. The line "trace b" begins another trace, and "trace b/2" is in the
// partition 2.
//
//	agent, workflow, root         are held, except with the word unheld; at:5 is when they arrived. Of others, the word held says so
//	tool, mcp, server             a call NAME#ID{arguments}->output of a framework, of an MCP client, of an MCP server
//	model                         a response: asks:CALL, and shows:#ID->output or fails:#ID for the results in its prompt
//	group                         the span of a group: share:AGENT before the requests of a task, next before those of a message
//	step NAME                     a step of an agent
//	span                          any other span
//
// Further words: by:SCOPE, from:PROCESS, conversation:ID, parent:ID, key=value for an attribute, and the flags below.
package runstest

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Second is a second in nanoseconds. Times in the language are multiples of it.
const Second = 1_000_000_000

// Log reads a log.
func Log(t testing.TB, text string) *evidence.Log {
	t.Helper()
	log := new(evidence.Log)
	Add(t, log, text)
	return log
}

// Add adds the spans of a text to a log.
func Add(t testing.TB, log *evidence.Log, text string) {
	t.Helper()
	key := keyOf("a")
	var above []line // from the outermost to the last one
	for text := range strings.Lines(text) {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if words[0] == "trace" {
			key, above = keyOf(words[1]), nil
			continue
		}
		l := line{indent: len(text) - len(strings.TrimLeft(text, " \t")), data: ptrace.NewSpan(), resource: pcommon.NewResource()}
		for len(above) > 0 && above[len(above)-1].indent >= l.indent {
			above = above[:len(above)-1]
		}
		l.fact.Trace = key.Trace
		if len(above) > 0 {
			l.fact.Parent = above[len(above)-1].fact.ID
		}
		if !l.read(words) {
			t.Fatalf("not a span: %s", text)
		}
		if !l.absent {
			l.addTo(traceOf(log, key))
		}
		above = append(above, l)
	}
}

// keyOf is the key of a trace by its name, with the partition after a slash.
func keyOf(name string) (k evidence.Key) {
	name, partition, _ := strings.Cut(name, "/")
	copy(k.Trace[:], name)
	k.Partition, _ = strconv.ParseUint(partition, 10, 64)
	return k
}

func traceOf(log *evidence.Log, key evidence.Key) *evidence.Trace {
	for i := range log.Traces {
		if log.Traces[i].Key == key {
			return &log.Traces[i]
		}
	}
	log.Traces = append(log.Traces, evidence.Trace{Key: key})
	return &log.Traces[len(log.Traces)-1]
}

// A line is a span of a text.
type line struct {
	indent int
	absent bool
	link   bool // it says no more than its parent
	fact   evidence.Fact
	data   ptrace.Span
	// resource and scope are the sender's, as OTLP has them.
	resource pcommon.Resource
	scope    string
	held     bool
	kind     evidence.Kind
	at       float64
}

// read reads the words of a line, and reports whether they are a span.
func (l *line) read(words []string) bool {
	if l.absent = words[0] == "-"; l.absent {
		words = words[1:]
	}
	kind, name, times := words[0], "", words[1:]
	if len(times) > 0 && !strings.HasPrefix(times[0], "[") {
		name, times = times[0], times[1:]
	}
	if len(times) == 0 || !l.readTimes(times[0]) || !l.readKind(kind, name) {
		return false
	}
	for _, w := range times[1:] {
		if !l.readWord(w) {
			return false
		}
	}
	l.data.SetTraceID(l.fact.Trace)
	l.data.SetSpanID(l.fact.ID)
	l.data.SetParentSpanID(l.fact.Parent)
	l.data.SetStartTimestamp(l.fact.Start)
	l.data.SetEndTimestamp(l.fact.End)
	return true
}

func (l *line) readTimes(word string) bool {
	start, end, _ := strings.Cut(strings.Trim(word, "[]"), "-")
	from, err := strconv.ParseFloat(start, 64)
	to, also := strconv.ParseFloat(end, 64)
	l.fact.Start, l.fact.End = Time(from), Time(to)
	return err == nil && also == nil
}

// Time is a time of the language as one of spans. It is never 0, which is the time of spans without one.
func Time(seconds float64) pcommon.Timestamp { return pcommon.Timestamp(Second + seconds*Second) }

func (l *line) readKind(kind, name string) bool {
	f := &l.fact
	call := parseCall(name)
	l.data.SetName(strings.TrimSpace(kind + " " + call.Name))
	f.ID = spanID(fmt.Sprint(kind, call.Name, f.Start))
	f.Kind, l.kind = evidence.None, evidence.Tool
	switch kind {
	case "agent":
		f.Kind, f.Agent, l.kind, l.held = evidence.Agent, name, evidence.Agent, true
	case "workflow":
		f.Kind, l.kind, l.held = evidence.Workflow, evidence.Workflow, true
	case "group":
		f.Kind, l.kind, l.held = evidence.Workflow, evidence.Workflow, true
		f.Response = &evidence.Response{OfAgent: true, Shares: []evidence.Share{}}
	case "root":
		l.link, l.kind, l.held = true, evidence.Root, true
	case "tool":
		f.Call = &call
	case "mcp", "server":
		call.Traits.MCP, call.Traits.MCPServer = true, kind == "server"
		f.Call = &call
	case "model":
		f.Response, l.kind = &evidence.Response{}, evidence.Root
	case "step":
		f.Step, f.Agent = true, name
	case "span":
		l.link = true
	default:
		return false
	}
	return true
}

// parseCall reads NAME#ID{arguments}->output, of which all but the name may be missing.
func parseCall(text string) (c evidence.Call) {
	text, output, known := strings.Cut(text, "->")
	if known {
		c.Output = scoring.Text(output)
	}
	if i := strings.IndexAny(text, `{"`); i >= 0 {
		c.Arguments, text = scoring.JSON(text[i:]), text[:i]
	}
	c.Name, c.ID, _ = strings.Cut(text, "#")
	return c
}

// readWord reads a word after the time of a span.
func (l *line) readWord(w string) bool {
	if set := l.flag(w); set != nil {
		*set = true
		return true
	}
	f := &l.fact
	switch w {
	case "ok", "failed":
		f.Call.Status = map[string]scoring.CallStatus{"ok": scoring.StatusOK, "failed": scoring.StatusFailed}[w]
		return true
	case "unheld":
		l.held = false
		return true
	case "next":
		share := &f.Response.Shares[len(f.Response.Shares)-1]
		share.Messages = append(share.Messages, 0)
		return true
	}
	if key, value, is := strings.Cut(w, "="); is && !strings.Contains(key, ":") {
		l.data.Attributes().PutStr(key, value)
		return true
	}
	key, value, _ := strings.Cut(w, ":")
	switch key {
	case "id":
		f.ID = spanID(value)
	case "parent":
		f.Parent = spanID(value)
	case "by":
		l.scope, f.Scope = value, evidence.ScopeOf(value)
	case "from":
		l.resource.Attributes().PutStr("service.name", value)
		f.Process = evidence.ProcessOf(l.resource)
	case "conversation":
		f.Conversation = value
	case "at":
		l.at, _ = strconv.ParseFloat(value, 64)
	default:
		return f.Response != nil && readResponse(f.Response, key, value)
	}
	return true
}

// flag is the field that a word sets, or nil.
func (l *line) flag(w string) *bool {
	switch w {
	case "held":
		return &l.held
	case "judged":
		return &l.fact.Judged
	}
	if c := l.fact.Call; c != nil {
		switch w {
		case "result":
			return &c.Traits.ResultOnly
		case "unnamed":
			return &c.Traits.UnnamedArgument
		case "normalized":
			return &c.Traits.NormalizedName
		case "unknown":
			return &c.Traits.UnknownTool
		}
	}
	if r := l.fact.Response; r != nil {
		switch w {
		case "messages":
			return &r.MessagesOnly
		case "begins":
			return &r.Begins
		case "offered":
			return &r.Offered
		case "unread":
			return &r.Unread
		}
	}
	return nil
}

func readResponse(r *evidence.Response, key, value string) bool {
	call := parseCall(value)
	switch key {
	case "asks":
		r.Requests = append(r.Requests, evidence.ToolRequest{ID: call.ID, Name: call.Name, Arguments: call.Arguments})
		if n := len(r.Shares); n > 0 {
			messages := r.Shares[n-1].Messages
			messages[len(messages)-1]++
		}
	case "shows", "fails":
		r.Results = append(r.Results, evidence.ToolResult{ID: call.ID, Output: call.Output, Failed: key == "fails"})
		r.Answered = call.ID
	case "share":
		r.Shares = append(r.Shares, evidence.Share{Agent: value, Task: len(r.Shares), Messages: []int{0}})
	default:
		return false
	}
	return true
}

func (l *line) addTo(t *evidence.Trace) {
	f := &l.fact
	if l.link {
		t.Links = append(t.Links, evidence.Link{ID: f.ID, Parent: f.Parent})
	} else {
		t.Facts = append(t.Facts, *f)
	}
	if !l.held {
		return
	}
	origin := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	l.resource.CopyTo(origin.Resource.Resource())
	origin.Scope.Scope().SetName(l.scope)
	origin.First = origin
	t.Held = append(t.Held, evidence.Held{
		Span: f.Span, Partition: t.Key.Partition, Kind: l.kind, Scope: f.Scope, Agent: f.Agent, Conversation: f.Conversation,
		Data: l.data, Origin: origin, Size: 100, Arrived: int64(Time(l.at)),
	})
}

// spanID is the ID of a name. Short names stay readable.
func spanID(name string) (id pcommon.SpanID) {
	if len(name) <= len(id) {
		copy(id[:], name)
		return id
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	copy(id[:], h.Sum(nil))
	return id
}
