package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxIndex bounds the numbers in flattened keys. No model response has that number of messages.
const maxIndex = 10_000

// flatMessages are messages that were flattened into one attribute a field, such as
// llm.output_messages.0.message.tool_calls.1.tool_call.id or gen_ai.prompt.3.tool_call_id.
//
// Fields come in any order and are put in theirs by sorting, so that no number of them takes quadratic time.
type flatMessages []flatField

type flatField struct {
	// at is the place of a field in the messages: the message, the list in it and the item of that, 0 for a message's own fields.
	at    uint64
	name  flatName
	value pcommon.Value
}

type flatList uint64

const (
	ownFields flatList = iota
	toolCalls          // .tool_calls.<item>.
	contents           // .contents.<item>., OpenInference's form for parts whose order matters
)

// What of a place is a message, and what a list of a message.
const (
	ofList    = 16
	ofMessage = ofList + 4
)

func (f *flatField) list() flatList { return flatList(f.at >> ofList & 0xf) }

type flatName uint8

const (
	noField flatName = iota
	callID
	callName
	callArguments
	messageRole
	messageText
	messageToolCallID
)

// flattened collects the messages under prefix, which ends before the message's index.
func (s *source) flattened(prefix string) flatMessages {
	f := emptied(s.scratch.fields)
	for key, value := range s.attributes.All() {
		rest, ok := cutKey(key, prefix)
		if !ok {
			continue
		}
		if field, ok := flatFieldOf(rest); ok {
			field.value = value
			f = append(f, field)
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
	list, item := ownFields, uint64(0)
	for i := range flatForms {
		after, found := strings.CutPrefix(rest, flatForms[i].prefix)
		if !found {
			continue
		}
		n, name, numbered := cutIndex(after)
		if !numbered && !flatForms[i].single {
			return field, false
		}
		if list, rest = flatForms[i].list, after; numbered {
			item, rest = n, name
		}
		break
	}
	field.at = message<<ofMessage | uint64(list)<<ofList | item
	field.name = flatNameOf(list, rest)
	return field, field.name != noField
}

// flatForms are how lists begin. A single item may have no number.
var flatForms = [...]struct {
	prefix string
	list   flatList
	single bool
}{
	{"tool_calls.", toolCalls, false}, {"contents.", contents, false},
	{"function_call.", toolCalls, true}, {"function_call_", toolCalls, true}, // LiteLLM numbers the calls, not the messages; OpenInference
}

func flatNameOf(list flatList, name string) flatName {
	if list == ownFields {
		switch name {
		case "role":
			return messageRole
		case "content":
			return messageText
		case "tool_call_id":
			return messageToolCallID
		}
		return noField
	}
	name, isCall := strings.CutPrefix(name, "tool_call.")
	if list == contents && !isCall {
		if name == "message_content.text" {
			return messageText
		}
		return noField
	}
	switch name {
	case "id":
		return callID
	case "name", "function.name":
		return callName
	case "arguments", "function.arguments", "arguments_json":
		return callArguments
	}
	return noField
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
	if !ok || digits == "" || len(digits) > len("10000") {
		return 0, "", false
	}
	for i := range len(digits) {
		if digits[i] < '0' || '9' < digits[i] {
			return 0, "", false
		}
		n = n*10 + uint64(digits[i]-'0')
	}
	return n, rest, n <= maxIndex
}

// first splits off the fields of the first message, or of the first item if of is 0.
func (f flatMessages) first(of int) (one, rest flatMessages) {
	n := 1
	for n < len(f) && f[n].at>>of == f[0].at>>of {
		n++
	}
	return f[:n], f[n:]
}

// list is the part of one message's fields that belongs to a list.
func (f flatMessages) list(list flatList) flatMessages {
	for len(f) > 0 && f[0].list() < list {
		f = f[1:]
	}
	n := 0
	for n < len(f) && f[n].list() == list {
		n++
	}
	return f[:n]
}

// get is the value of the first field of that name that has one.
func (f flatMessages) get(name flatName) (pcommon.Value, bool) {
	for _, field := range f {
		if field.name == name && field.value.Type() != pcommon.ValueTypeEmpty {
			return field.value, true
		}
	}
	return pcommon.Value{}, false
}

// text is a name or an id.
func (f flatMessages) text(name flatName) string {
	v, ok := f.get(name)
	if !ok {
		return ""
	}
	return nameText(v)
}

// asked adds the calls of all messages. Where a message has its calls in both lists, they are the same calls.
func (f flatMessages) asked(a *draft) {
	for len(f) > 0 {
		var message flatMessages
		message, f = f.first(ofMessage)
		calls := message.list(toolCalls)
		if len(calls) == 0 {
			calls = message.list(contents)
		}
		for len(calls) > 0 {
			var one flatMessages
			one, calls = calls.first(0)
			call := ToolRequest{ID: one.text(callID), Name: one.text(callName)}
			v, ok := one.get(callArguments)
			if ok && a.scratch.want.Arguments {
				call.Arguments = decodedTwice(shown(v))
			}
			if ok && v.Type() == pcommon.ValueTypeStr && isCutOff(v.Str()) {
				if a.endedEarly() {
					a.scratch.cut = true
					continue
				}
				call.Arguments = tooLarge(call.Arguments)
			}
			a.ask(call)
		}
	}
}

// results adds those since the user spoke last. Some instrumentations leave out the ids of results. Then the results answer the
// calls that the message before them requested, in order. The output of such a result is read only if there was one request:
// results may stand in another order than requests.
func (f flatMessages) results(a *draft) {
	since := f
	for rest := f; len(rest) > 0; {
		var message flatMessages
		if message, rest = rest.first(ofMessage); message.spoken(&a.scratch.given) {
			since = rest
		}
	}
	var open flatMessages // the calls that the last message but results requested, and that no result answers yet
	sole := false
	for len(since) > 0 {
		var message flatMessages
		message, since = since.first(ofMessage)
		own := message.list(ownFields)
		id, want := own.text(messageToolCallID), a.scratch.want
		switch {
		case id != "":
			open = nil // the ids are there
		case own.text(messageRole) != "tool":
			if open = message.list(toolCalls); len(open) > 0 {
				_, others := open.first(0)
				sole = len(others) == 0
			}
		case len(open) > 0:
			var one flatMessages
			one, open = open.first(0)
			id, want.Outputs = one.text(callID), want.Outputs && sole
		}
		if id != "" {
			a.tell(ToolResult{ID: id, Output: message.output(want)})
		}
	}
}

// spoken reports whether a message is the user's. A message with the ID of a call is that call's result, whatever its role:
// Anthropic has no role for tools.
func (f flatMessages) spoken(g *given) bool {
	own := f.list(ownFields)
	role := own.text(messageRole)
	if role != "" {
		g.hear(role)
	}
	return role == "user" && own.text(messageToolCallID) == ""
}

// output is a message's text, or else that of the first part that has one.
func (f flatMessages) output(want Want) scoring.Payload {
	if !want.Outputs {
		return scoring.Payload{}
	}
	if v, ok := f.list(ownFields).get(messageText); ok {
		return contentList(shown(v))
	}
	if v, ok := f.list(contents).get(messageText); ok {
		return shown(v)
	}
	return scoring.Payload{}
}

// shown is a value's payload, unless it was hidden.
func shown(v pcommon.Value) scoring.Payload {
	if v.Type() == pcommon.ValueTypeStr && v.Str() == openInferenceRedacted {
		return scoring.Payload{}
	}
	return structured(v)
}
