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
//	agent ... part:PROMPT         is a part of an agent's run
//	agent, workflow, root         are held, except with the word unheld; at:5 is when they arrived. Of others, the word held says so
//	tool, mcp, server             a call NAME#ID{arguments}->output of a framework, of an MCP client, of an MCP server
//	model                         a response: asks:CALL, shows:#ID->output or fails:#ID for the results in its prompt, invents:CALL for a
//	                              request of a tool that was not offered, made:ID or refused:ID for a call whose result is not kept;
//	                              hosts:CALL for a call that the provider made, answers:CALL for one whose result is in the response
//	group                         the span of a group: share:AGENT before the requests of a task, next before those of a message
//	step NAME                     a step of an agent
//	chat                          a model call that records no calls
//	span                          any other span
//
// Further words: of:AGENT for a call's or a response's, by:SCOPE, from:PROCESS, conversation:ID, parent:ID, key=value for an attribute, and those of the table below.
package runstest

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// words are those that stand alone.
var words = map[string]func(*line){
	"held":       func(l *line) { l.held = true },
	"unheld":     func(l *line) { l.held = false },
	"ok":         func(l *line) { l.fact.Call.Status = scoring.StatusOK },
	"failed":     func(l *line) { l.fact.Call.Status = scoring.StatusFailed },
	"result":     func(l *line) { l.fact.Call.Traits.ResultOnly = true },
	"unnamed":    func(l *line) { l.fact.Call.Traits.UnnamedArgument = true },
	"normalized": func(l *line) { l.fact.Call.Traits.NormalizedName = true },
	"unknown":    func(l *line) { l.fact.Call.Traits.UnknownTool = true },
	"notmade":    func(l *line) { l.fact.Call.Traits.NotMade = true },
	"messages":   func(l *line) { l.fact.Response.MessagesOnly = true },
	"begins":     func(l *line) { l.fact.Response.Begins = true },
	"offered":    func(l *line) { l.fact.Response.Offered = true },
	"unrecorded": func(l *line) { l.fact.Response.Unrecorded = true },
	"unread":     func(l *line) { l.fact.Response.Unread = true },
	"next":       func(l *line) { l.messages(func(all []int) []int { return append(all, 0) }) },
}

// Second is a second of the language in nanoseconds.
const Second = 1_000_000_000

// Time is a time of the language. It is never 0, which is that of spans without one.
func Time(seconds float64) pcommon.Timestamp { return pcommon.Timestamp(Second + seconds*Second) }

// Log reads a log.
func Log(tb testing.TB, text string) *evidence.Log {
	tb.Helper()
	log := new(evidence.Log)
	Add(tb, log, text)
	return log
}

// spanLine is a line of a span: the indentation, whether it is missing, kind, name, start, end and further words.
var spanLine = regexp.MustCompile(`^(\s*)(- )?(\w+)\s+([^\[\s]\S*)?\s*\[(\S+)-(\S+)\]`)

// Add adds the spans of a text to a log.
func Add(tb testing.TB, log *evidence.Log, text string) {
	tb.Helper()
	trace := "a"
	var above []line // from the outermost to the last one
	for text := range strings.Lines(text) {
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if fields[0] == "trace" {
			trace, above = fields[1], nil
			continue
		}
		parts := spanLine.FindStringSubmatch(text)
		require.NotNil(tb, parts, "not a span: %s", text)
		l := line{indent: len(parts[1]), key: keyOf(trace), data: ptrace.NewSpan()}
		for len(above) > 0 && above[len(above)-1].indent >= l.indent {
			above = above[:len(above)-1]
		}
		if len(above) > 0 {
			l.fact.Parent = above[len(above)-1].fact.ID
		}
		l.fact.Trace, l.fact.Start, l.fact.End = l.key.Trace, Time(seconds(parts[5])), Time(seconds(parts[6]))
		require.True(tb, l.readKind(parts[3], parts[4]), "not a kind of span: %s", text)
		for word := range strings.FieldsSeq(text[len(parts[0]):]) {
			require.True(tb, l.readWord(word), "not a word of a span: %s", word)
		}
		if parts[2] == "" {
			l.addTo(log)
		}
		above = append(above, l)
	}
}

func seconds(text string) float64 {
	s, _ := strconv.ParseFloat(text, 64)
	return s
}

// keyOf is the key of a trace by its name, with the partition after a slash.
func keyOf(name string) (k evidence.Key) {
	name, partition, _ := strings.Cut(name, "/")
	copy(k.Trace[:], name)
	k.Partition, _ = strconv.ParseUint(partition, 10, 64)
	return k
}

// A line is a span of a text.
type line struct {
	indent         int
	key            evidence.Key
	fact           evidence.Fact
	link           bool // the span says no more than its parent
	held           bool
	kind           evidence.Kind // of what is held
	at             float64
	name           string // of the span
	scope, process string
	data           ptrace.Span // if it is held, with its attributes
}

func (l *line) readKind(kind, name string) bool {
	f := &l.fact
	call := parseCall(name)
	l.name = strings.TrimSpace(kind + " " + call.Name)
	f.ID = spanID(fmt.Sprint(kind, call.Name, f.Start))
	f.Kind, l.kind = evidence.None, evidence.Tool
	switch kind {
	case "agent":
		f.Kind, f.Agent, l.kind, l.held = evidence.Agent, name, evidence.Agent, true
	case "workflow", "group":
		f.Kind, l.kind, l.held = evidence.Workflow, evidence.Workflow, true
		if kind == "group" {
			f.Response = &evidence.Response{OfAgent: true, Shares: []evidence.Share{}}
		}
	case "root":
		l.link, l.kind, l.held = true, evidence.Root, true
	case "tool", "mcp", "server":
		call.Traits.MCP, call.Traits.MCPServer = kind != "tool", kind == "server"
		f.Call = &call
	case "model":
		f.Response, l.kind = &evidence.Response{}, evidence.Root
	case "step":
		f.Step, f.Agent = true, name
	default:
		l.link = true
		return kind == "span" || kind == "chat"
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
	if set := words[w]; set != nil {
		set(l)
		return true
	}
	f := &l.fact
	key, value, isPair := strings.Cut(w, ":")
	if name, value, is := strings.Cut(w, "="); is && len(name) < len(key) {
		l.data.Attributes().PutStr(name, value)
		return true
	}
	call := parseCall(value)
	request := evidence.ToolRequest{ID: call.ID, Name: call.Name, Arguments: call.Arguments}
	switch key {
	case "id":
		f.ID = spanID(value)
	case "parent":
		f.Parent = spanID(value)
	case "by":
		l.scope, f.Scope = value, evidence.ScopeOf(value)
	case "from":
		l.process, f.Process = value, evidence.ProcessOf(resource(value))
	case "of":
		f.Agent = value
	case "part":
		f.Step, f.Response = true, &evidence.Response{OfAgent: true, Prompt: value}
	case "conversation":
		f.Conversation = value
	case "at":
		l.at = seconds(value)
	case "asks":
		f.Response.Requests = append(f.Response.Requests, request)
		l.messages(func(all []int) []int { all[len(all)-1]++; return all })
	case "hosts", "answers":
		request.Output, request.Hosted, request.Answered = call.Output, key == "hosts", key == "answers"
		f.Response.Requests = append(f.Response.Requests, request)
	case "invents":
		f.Response.NotOffered = append(f.Response.NotOffered, request)
	case "made":
		f.Response.Made = append(f.Response.Made, value)
	case "refused":
		f.Response.Refused = append(f.Response.Refused, value)
	case "shows", "fails":
		f.Response.Results = append(f.Response.Results, evidence.ToolResult{ID: call.ID, Output: call.Output, Failed: key == "fails"})
		f.Response.Answered = call.ID
	case "share":
		f.Response.Shares = append(f.Response.Shares, evidence.Share{Agent: value, Task: len(f.Response.Shares), Messages: []int{0}})
	default:
		return false
	}
	return isPair
}

// messages changes how many requests the messages of the last share have.
func (l *line) messages(change func([]int) []int) {
	if n := len(l.fact.Response.Shares); n > 0 {
		share := &l.fact.Response.Shares[n-1]
		share.Messages = change(share.Messages)
	}
}

func (l *line) addTo(log *evidence.Log) {
	at := 0
	for at < len(log.Traces) && log.Traces[at].Key != l.key {
		at++
	}
	if at == len(log.Traces) {
		log.Traces = append(log.Traces, evidence.Trace{Key: l.key})
	}
	t, f := &log.Traces[at], &l.fact
	if l.link {
		t.Links = append(t.Links, evidence.Link{ID: f.ID, Parent: f.Parent, Model: l.name == "chat"})
	} else {
		t.Facts = append(t.Facts, *f)
	}
	if l.held {
		t.Held = append(t.Held, l.toHeld())
	}
}

func (l *line) toHeld() evidence.Held {
	f := &l.fact
	data := l.data
	data.SetName(l.name)
	data.SetTraceID(f.Trace)
	data.SetSpanID(f.ID)
	data.SetParentSpanID(f.Parent)
	data.SetStartTimestamp(f.Start)
	data.SetEndTimestamp(f.End)
	origin := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	resource(l.process).CopyTo(origin.Resource.Resource())
	origin.Scope.Scope().SetName(l.scope)
	origin.First = origin
	return evidence.Held{
		Span: f.Span, Partition: l.key.Partition, Kind: l.kind, Scope: f.Scope, Agent: f.Agent, Conversation: f.Conversation,
		Data: data, Origin: origin, Size: 100, Arrived: int64(Time(l.at)),
	}
}

func resource(process string) pcommon.Resource {
	r := pcommon.NewResource()
	r.Attributes().PutStr("service.name", process)
	return r
}

// spanID is the ID of a name. Short names stay readable.
func spanID(name string) (id pcommon.SpanID) {
	if len(name) > len(id) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(name))
		name = string(h.Sum(nil))
	}
	copy(id[:], name)
	return id
}
