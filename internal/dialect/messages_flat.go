package dialect

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxIndex bounds the numbers in flattened keys. No model response has that number of messages.
const maxIndex = 10_000

// flatMessages are messages that were flattened into one attribute a field, such as llm.output_messages.0.message.tool_calls.1.tool_call.id or
// gen_ai.prompt.3.tool_call_id. Fields come in any order and are put in theirs by sorting, so that no number of them takes quadratic time.
type flatMessages []flatField

type flatField struct {
	// at is the place of a field in the messages: the message, the list in it and the item of that, 0 for a message's own fields.
	at    uint64
	name  string
	value pcommon.Value
}

// What of a place is a message, and what a list of a message.
const (
	ofList    = 16
	ofMessage = ofList + 4
)

const (
	ownFields = iota
	toolCalls
	contents // OpenInference's form for parts whose order matters
)

// flatNames are the fields of each list, by all their names. A call among contents has those of a call.
var flatNames = [...]map[string]string{
	ownFields: {"role": "role", content: content, messageCallID: messageCallID},
	toolCalls: {
		"id": "id", "name": "name", "function.name": "name",
		"arguments": "arguments", "function.arguments": "arguments", "arguments_json": "arguments",
	},
	contents: {"message_content.text": content},
}

// flatForms are how lists begin. A single item may have no number.
var flatForms = [...]struct {
	prefix string
	list   uint64
	single bool
}{
	{"tool_calls.", toolCalls, false}, {"contents.", contents, false},
	{"function_call.", toolCalls, true}, {"function_call_", toolCalls, true}, // LiteLLM numbers the calls, not the messages; OpenInference
}

// flattened collects the messages under prefix, which ends before the message's index.
func (s *source) flattened(prefix string) flatMessages {
	f := emptied(s.scratch.fields)
	for key, value := range s.attributes.All() {
		if rest, ok := cutKey(key, prefix); ok {
			if field, ok := flatFieldOf(rest); ok {
				field.value = value
				f = append(f, field)
			}
		}
	}
	s.scratch.fields = f
	slices.SortStableFunc(f, func(a, b flatField) int { return cmp.Compare(a.at, b.at) })
	return f
}

// flatFieldOf reads what follows the prefix: an index, and a field or an index in a list and a field. OpenInference repeats
// the names of the objects ("message.", "tool_call."), OpenLLMetry does not.
func flatFieldOf(rest string) (field flatField, ok bool) {
	message, rest, ok := cutIndex(rest)
	if !ok {
		return field, false
	}
	rest = strings.TrimPrefix(rest, "message.")
	var list, item uint64
	for i := range flatForms {
		if after, found := strings.CutPrefix(rest, flatForms[i].prefix); found {
			n, name, numbered := cutIndex(after)
			if !numbered && !flatForms[i].single {
				return field, false
			}
			if list, rest = flatForms[i].list, after; numbered {
				item, rest = n, name
			}
			break
		}
	}
	names := flatNames[list]
	if name, isCall := strings.CutPrefix(rest, "tool_call."); isCall && list != ownFields {
		names, rest = flatNames[toolCalls], name
	}
	field.at, field.name = message<<ofMessage|list<<ofList|item, names[rest]
	return field, field.name != ""
}

// cutKey takes a prefix of keys off, which must not be empty. In most other keys, another byte is where its last one would be.
func cutKey(key, prefix string) (rest string, ok bool) {
	if last := len(prefix) - 1; len(key) <= last || key[last] != prefix[last] || key[:last] != prefix[:last] {
		return "", false
	}
	return key[len(prefix):], true
}

// cutIndex takes an index and the dot behind it off.
func cutIndex(text string) (n uint64, rest string, ok bool) {
	digits, rest, ok := strings.Cut(text, ".")
	if !ok {
		return 0, "", false
	}
	index, err := strconv.Atoi(digits)
	return uint64(index), rest, err == nil && 0 <= index && index <= maxIndex
}

// by splits the fields by message, or by the item of a list if of is 0.
func (f flatMessages) by(of int) iter.Seq[flatMessages] {
	return func(yield func(flatMessages) bool) {
		for len(f) > 0 {
			n := 1
			for n < len(f) && f[n].at>>of == f[0].at>>of {
				n++
			}
			if !yield(f[:n]) {
				return
			}
			f = f[n:]
		}
	}
}

// list is the part of one message's fields that belongs to a list.
func (f flatMessages) list(list uint64) flatMessages {
	for part := range f.by(ofList) {
		if part[0].at>>ofList&0xf == list {
			return part
		}
	}
	return nil
}

// get is the value of the first field of that name that has one.
func (f flatMessages) get(name string) (pcommon.Value, bool) {
	for _, field := range f {
		if field.name == name && field.value.Type() != pcommon.ValueTypeEmpty {
			return field.value, true
		}
	}
	return pcommon.Value{}, false
}

// text is a name or an id.
func (f flatMessages) text(name string) string {
	v, ok := f.get(name)
	if !ok {
		return ""
	}
	return nameText(v)
}

// asked adds the calls of all messages. Where a message has its calls in both lists, they are the same calls.
func (f flatMessages) asked(a *draft) {
	for message := range f.by(ofMessage) {
		calls := message.list(toolCalls)
		if len(calls) == 0 {
			calls = message.list(contents)
		}
		for one := range calls.by(0) {
			call := ToolRequest{ID: one.text("id"), Name: one.text("name")}
			v, ok := one.get("arguments")
			if ok && a.scratch.want.Arguments {
				call.Arguments = decodedTwice(shown(v))
			}
			if !ok || !isCutOff(v.Str()) || a.ranCut(&call) {
				a.ask(&call)
			}
		}
	}
}

// results adds those since the user spoke last. Some instrumentations leave out the ids of results. Then the results answer the calls that the
// message before them requested, in order, and the output is read only if there was one request: results may stand in another order.
func (f flatMessages) results(a *draft) {
	read, since := 0, f
	for message := range f.by(ofMessage) {
		read += len(message)
		own := message.list(ownFields)
		role := own.text("role")
		if role != "" {
			a.scratch.spoken, a.scratch.answered = true, a.scratch.answered || answers(role)
		}
		if role == "user" && own.text(messageCallID) == "" { // with the ID it is that call's result: Anthropic has no role for tools
			since = f[read:]
		}
	}
	var open []string // the IDs of the calls that the last message but results requested, and that no result answers yet
	sole := false
	for message := range since.by(ofMessage) {
		own := message.list(ownFields)
		id, want := own.text(messageCallID), a.scratch.want.Outputs
		switch {
		case id != "":
			open = nil // the ids are there
		case own.text("role") != "tool":
			open = open[:0]
			for one := range message.list(toolCalls).by(0) {
				open = append(open, one.text("id"))
			}
			sole = len(open) == 1
		case len(open) > 0:
			id, want, open = open[0], want && sole, open[1:]
		}
		r := ToolResult{ID: id}
		if want {
			r.Output = message.output()
		}
		a.tell(r)
	}
}

// output is a message's text, or else that of the first part that has one.
func (f flatMessages) output() (p scoring.Payload) {
	if v, ok := f.list(ownFields).get(content); ok {
		return contentList(shown(v))
	}
	if v, ok := f.list(contents).get(content); ok {
		p = shown(v)
	}
	return p
}

// shown is a value's payload, unless it was hidden.
func shown(v pcommon.Value) scoring.Payload {
	if v.Str() == openInferenceRedacted {
		return scoring.Payload{}
	}
	return structured(v)
}

// Messages of OpenInference, flattened, and of the frameworks whose own form stands beside them.
const (
	openInferenceTools  = "llm.tools."
	openInferenceSchema = "tool.json_schema"
)

// langChainGenerations stands in what LangChain returns.
var langChainGenerations = wordsOf("generations")

func (s *source) openInferenceResponse(a *draft) {
	s.flattened("llm.output_messages.").asked(a)
	if s.scratch.want.Results {
		s.flattened("llm.input_messages.").results(a)
	}
	if a.Empty() {
		s.parts(a)
	}
	if len(a.Requests) == 0 {
		return
	}
	if isLangChain(s.scope) { // the output of another instrumentation may be the model's text
		s.identify(a.Requests)
	}
	a.keepOffered(s.listed(openInferenceTools, openInferenceSchema))
}

// identify gives calls without an id the one from LangChain's generation, whose instrumentation for JavaScript leaves it out of the flattened form.
func (s *source) identify(asked []ToolRequest) {
	if slices.ContainsFunc(asked, func(call ToolRequest) bool { return call.ID != "" }) {
		return
	}
	named := s.draft()
	named.askAll(s.hint(openInferenceOutput, langChainGenerations), rawRequests, rawResults, true)
	if !slices.EqualFunc(named.Requests, asked, func(a, b ToolRequest) bool { return a.Name == b.Name }) {
		return
	}
	for i, call := range named.Requests {
		asked[i].ID = call.ID
	}
}
