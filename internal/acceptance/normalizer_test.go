package acceptance

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The collector's gen_ai_normalizer renames the attributes of OpenInference and OpenLLMetry to OpenTelemetry's. In front of
// this processor, it changes no run under any configuration: neither agents nor the names, arguments, order and failures of
// calls.
func TestCorpusNormalized(t *testing.T) {
	for _, library := range someLibraries(t) {
		if !strings.HasPrefix(library.Name, "openinference-") && !strings.HasPrefix(library.Name, "traceloop-") {
			continue
		}
		if reason := genAINormalizer.Except[library.Name]; reason != "" {
			t.Logf("%s is left out: %s", library.Name, reason)
			continue
		}
		for _, scenario := range library.Scenarios {
			if reason := genAINormalizer.Except[library.Name+"/"+scenario.Name]; reason != "" {
				t.Logf("%s/%s is left out: %s", library.Name, scenario.Name, reason)
				continue
			}
			assert.Zero(t, kinds(normalizer{overwrite: true, remove: true}.normalized(scenario.Requests)), "all are renamed")
			want := lines(runsOf(t, reportsOf(t, scenario.Requests)), nil)
			for _, n := range normalizers {
				t.Run(library.Name+"/"+scenario.Name+"/"+n.name, func(t *testing.T) {
					got := lines(runsOf(t, reportsWith(t, n.normalized(scenario.Requests), unchanged)), nil)
					assert.Equal(t, want, got)
				})
			}
		}
	}
}

// kinds counts the spans that still have a kind of OpenInference or OpenLLMetry.
func kinds(requests []ptrace.Traces) int {
	n := 0
	for span := range spansOf(requests...) {
		for _, key := range []string{"openinference.span.kind", "traceloop.span.kind"} {
			if _, ok := span.Attributes().Get(key); ok {
				n++
			}
		}
	}
	return n
}

// normalizer imitates the processor gen_ai_normalizer, because its module is not on the Go module proxy. It has the same renamed keys,
// kinds of spans, joined messages and order of steps.
type normalizer struct {
	name            string
	remove          bool // remove_originals
	overwrite       bool
	withoutMessages bool // as before pull request 49149
	reversed        bool // the sources in the other order
}

var normalizers = []normalizer{
	{name: "defaults"},
	{name: "overwrite", overwrite: true},
	{name: "remove", remove: true},
	{name: "overwrite and remove", overwrite: true, remove: true},
	{name: "the other order", overwrite: true, remove: true, reversed: true},
	{name: "without messages", withoutMessages: true},
	{name: "without messages, remove", remove: true, overwrite: true, withoutMessages: true},
}

// A convention is one of the normalizer's sources.
type convention struct {
	Renamed    map[string]string
	Operations map[string]string // by the kind of a span, in lower case
	Messages   map[string]string // by the prefix of flattened messages
}

// genAINormalizer is testdata/normalizer.yaml.
var genAINormalizer = fromTestdata[struct {
	Sources []convention
	Except  map[string]string
}]("normalizer")

const operationName = "gen_ai.operation.name"

func (n normalizer) normalized(requests []ptrace.Traces) []ptrace.Traces {
	conventions := slices.Clone(genAINormalizer.Sources)
	if n.reversed {
		slices.Reverse(conventions)
	}
	all := make([]ptrace.Traces, len(requests))
	for i, request := range requests {
		all[i] = ptrace.NewTraces()
		request.CopyTo(all[i])
	}
	for span := range spansOf(all...) {
		for _, c := range conventions {
			n.normalize(span.Attributes(), c)
		}
	}
	return all
}

// normalize first joins messages, then renames keys in the order of the attributes.
func (n normalizer) normalize(attributes pcommon.Map, c convention) {
	if !n.withoutMessages {
		for prefix, target := range c.Messages {
			n.join(attributes, prefix, target)
		}
	}
	var keys []string
	for key := range attributes.All() {
		if c.Renamed[key] != "" {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		n.rename(attributes, c, key)
	}
}

func (n normalizer) rename(attributes pcommon.Map, c convention, key string) {
	target := c.Renamed[key]
	if _, exists := attributes.Get(target); exists && !n.overwrite {
		return
	}
	value, _ := attributes.Get(key)
	copied := pcommon.NewValueEmpty()
	value.CopyTo(copied)
	switch operation, known := c.Operations[strings.ToLower(value.AsString())]; {
	case target == operationName && known:
		attributes.PutStr(target, operation)
	case takesAny(target):
		copied.CopyTo(attributes.PutEmpty(target))
	case value.Type() == pcommon.ValueTypeMap, value.Type() == pcommon.ValueTypeSlice, value.Type() == pcommon.ValueTypeBytes:
		return // these have no form as text
	default:
		attributes.PutStr(target, copied.AsString())
	}
	if n.remove {
		attributes.Remove(key)
	}
}

// takesAny reports whether a key may have a value of any type. The others are texts.
func takesAny(target string) bool {
	switch target {
	case "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.call.arguments", "gen_ai.tool.definitions":
		return true
	}
	return false
}

// join makes one JSON text of flattened messages.
func (n normalizer) join(attributes pcommon.Map, prefix, target string) {
	if _, exists := attributes.Get(target); exists && !n.overwrite {
		return
	}
	messages, joined := map[int]*flatMessage{}, []string{}
	for key, value := range attributes.All() {
		index, field, ok := indexed(strings.CutPrefix(key, prefix))
		if !ok || !strings.HasPrefix(field, "message.") {
			continue
		}
		if messages[index] == nil {
			messages[index] = &flatMessage{calls: map[int]map[string]string{}}
		}
		messages[index].set(strings.TrimPrefix(field, "message."), value.AsString())
		joined = append(joined, key)
	}
	if len(messages) == 0 {
		return
	}
	var all []any
	for _, index := range slices.Sorted(maps.Keys(messages)) {
		all = append(all, messages[index].message())
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err)
	}
	attributes.PutStr(target, string(text))
	for _, key := range joined {
		if n.remove {
			attributes.Remove(key)
		}
	}
}

// indexed splits "3.rest".
func indexed(text string, ok bool) (index int, rest string, isIndexed bool) {
	number, rest, dot := strings.Cut(text, ".")
	index, err := strconv.Atoi(number)
	return index, rest, ok && dot && err == nil
}

type flatMessage struct {
	role, content, callID string
	calls                 map[int]map[string]string
}

func (m *flatMessage) set(field, value string) {
	switch field {
	case "role":
		m.role = value
	case "content":
		m.content = value
	case "tool_call_id":
		m.callID = value
	}
	index, field, ok := indexed(strings.CutPrefix(field, "tool_calls."))
	if !ok {
		return
	}
	if m.calls[index] == nil {
		m.calls[index] = map[string]string{}
	}
	m.calls[index][field] = value
}

// message returns the first of a result, calls and text.
func (m *flatMessage) message() map[string]any {
	parts := []any{}
	role := cmp.Or(m.role, "user")
	switch {
	case m.callID != "":
		role = "tool"
		parts = append(parts, map[string]any{"type": "tool_call_response", "id": m.callID, "response": m.content})
	case len(m.calls) > 0:
		for _, index := range slices.Sorted(maps.Keys(m.calls)) {
			parts = append(parts, requested(m.calls[index]))
		}
	case m.content != "":
		parts = append(parts, map[string]any{"type": "text", "content": m.content})
	}
	return map[string]any{"role": role, "parts": parts}
}

// requested decodes the arguments as Go does, numbers as float64.
func requested(call map[string]string) map[string]any {
	part := map[string]any{"type": "tool_call", "name": call["tool_call.function.name"]}
	if id := call["tool_call.id"]; id != "" {
		part["id"] = id
	}
	text := call["tool_call.function.arguments"]
	var arguments any = text
	if decoded := any(nil); json.Unmarshal([]byte(text), &decoded) == nil {
		arguments = decoded
	}
	if text != "" && arguments != nil {
		part["arguments"] = arguments
	}
	return part
}
