package dialect

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A table is a dialect: how an instrumentation writes its spans. Most of it is data. What is not is a function.
type table struct {
	name string
	// A span is looked at if it has one of the scopes, which may have a star, or one of the attributes marks. If neither is given,
	// kind marks the spans. A scope is for instrumentations that write no attribute of their own on some spans.
	scopes, marks []string
	// spans are the roles of spans by their names. They come before kind.
	spans []meaning
	// kind has the attributes that say what a span is. The first whose value is one of kinds counts. A span of another kind is left to
	// the dialects after this one, or is Nothing if all spans are the instrumentation's.
	kind  []string
	kinds []meaning
	all   bool
	needs sign // what the span must have besides
	// role decides on the spans that these do not know. It is false for spans of others.
	role func(*source) (Role, bool)

	// Where a span has what a reading says. Of several attributes the first that has a value counts. The conventions' own follows them, and what is
	// left out is as the conventions have it, but for messages, failed and succeeded: a row with a ModelCall names messages, unless nothing is read
	// from them, and error.type stands in failed. A tool whose name may be that of its span has "*" as the last of the spans of its names.
	tool, agent, workflow names
	id, conversation      []string
	arguments, output     payloads
	failed, succeeded     []sign // signs of a success come first, then those of a failure, then the span's status
	notMade               []sign // signs that nothing executed the call
	messages              Messages
	quoted                bool // texts are JSON strings

	// conventional: a call is read as the conventions' followers write it: see conventionalCall.
	conventional bool
	// clients: instrumentations of models' clients may write such spans, so the requests in a model call may be all there is: see messagesOnly.
	clients bool
	// except changes a reading by what is not said above. A reading of Nothing means that the span is none after all.
	except func(*source, *Reading)
	call   func(*source, *Reading) // in place of except for calls
}

// A meaning is the role of the spans of one kind, which may have a star: see starred.
type meaning struct {
	kind string
	role Role
}

const anyKind = "*"

// roleIn is the role of a kind among all that are known.
func roleIn(all []meaning, kind string) (role Role, known bool) {
	for i := range all {
		if _, is := starred(all[i].kind, kind); is {
			return all[i].role, true
		}
	}
	return Nothing, false
}

// starred matches a text with a pattern, in which a star stands for any part of it, and returns that part.
func starred(pattern, text string) (part string, ok bool) {
	before, after, isOpen := strings.Cut(pattern, "*")
	if !isOpen {
		return "", text == pattern
	}
	if part, ok = strings.CutPrefix(text, before); ok {
		part, ok = strings.CutSuffix(part, after)
	}
	return part, ok
}

// names are the attributes that have a name. If none does, the name is in that of the span: "execute_tool *" are the words around it.
type names struct {
	keys  []string
	spans []string
}

// payloads are the attributes that have arguments or an output.
type payloads struct {
	keys   []string
	as     func(pcommon.Value) scoring.Payload // how values are written; structured if it is nil
	blocks bool                                // the value may be a list of content blocks
	read   func(*source) scoring.Payload       // in place of all others, where the keys do not decide
}

// A sign is an attribute with a text, which may have a star, "true" or "false", or with any if is is "".
type sign struct{ key, is string }

// read reads a span with a mark of the dialect into r, which is empty. It reports false if the span is left to later dialects.
func (t *table) read(s *source, r *Reading) bool {
	s.quoted = t.quoted
	role, known := t.roleOf(s)
	if !known || role == Nothing {
		return known
	}
	r.Role, r.Conversation = role, s.conversation(t.conversation)
	switch role {
	case ToolCall:
		if r.CallID, r.Call.Name = s.text(t.id...), s.nameIn(t.tool); r.Call.Name == "" && s.span.Name() != "" {
			*r = Reading{} // the span's name would have been the name, if the dialect took it
			return false
		}
		r.Call.Arguments, r.Call.Output = s.content(&t.arguments), s.content(&t.output)
		if !s.cut || !s.wrapped { // else nobody reads either
			r.Call.Arguments = decodedTwice(r.Call.Arguments)
		}
		r.Call.Status = s.statusBy(t)
		if s.has(t.notMade...) {
			r.Traits |= NotMade
		}
		if s.saysFailed = s.resultFailed(r.Call.Output); t.output.blocks && !s.wrapped {
			r.Call.Output = contentList(r.Call.Output)
		}
		if t.conventional {
			s.conventionalCall(r)
		}
	case Agent:
		r.Agent = s.nameIn(t.agent)
	case Workflow:
		r.Agent = s.nameIn(t.workflow)
	case ModelCall:
		if r.Messages = t.messages; t.clients {
			r.Traits = s.messagesOnly()
		}
	}
	if role == ToolCall && t.call != nil {
		t.call(s, r)
	} else if t.except != nil {
		t.except(s, r)
	}
	return true
}

// roleOf is the role of a span by its name or its kind. A kind that marks the spans must be a string.
func (t *table) roleOf(s *source) (Role, bool) {
	if t.needs.key != "" && !s.has(t.needs) {
		return Nothing, false
	}
	if role, known := roleIn(t.spans, s.span.Name()); known {
		return role, true
	}
	for _, key := range t.kind {
		kind := s.marker(key)
		if role, known := roleIn(t.kinds, kind); known && kind != "" {
			return role, true
		}
		if kind == "" && t.role == nil && slices.Contains(t.marks, key) {
			return Nothing, false
		}
	}
	if t.role != nil {
		return t.role(s)
	}
	return Nothing, t.all
}

// decodedTwice is a payload that may be JSON text within JSON text: some SDKs encode arguments once more.
func decodedTwice(p scoring.Payload) scoring.Payload {
	if p.Look(func(text string) bool { return strings.HasPrefix(text, `"{`) }) {
		v, _ := p.Value()
		if inner := scoring.JSON(strings.Clone(v.Text())); inner.IsObject() {
			return inner
		}
	}
	return p
}

// nameIn reads a name. In a name of a span, Vercel AI SDK 7 puts the model if an agent has no name, and a model is no agent.
func (s *source) nameIn(n names) string {
	if name := s.text(n.keys...); name != "" {
		return name
	}
	for _, pattern := range n.spans {
		name, ok := starred(pattern, s.span.Name())
		if ok && name != "" && (pattern != invokeAgent+" *" || name != s.text("gen_ai.request.model")) {
			return valid(name)
		}
	}
	return ""
}

// conversation is the ID of a conversation that the span has.
func (s *source) conversation(keys []string) string {
	return s.attributes.conversation(keys, func(v pcommon.Value) (string, bool) { return s.textOf(v), true })
}

// isConversation rejects an ID that stands for none, or that Logfire replaced as a secret: all runs would be one conversation.
func isConversation(id string) bool {
	return id != "" && id != "null" && !strings.HasPrefix(id, "[Scrubbed due to ")
}

// content is the payload under the first key that has one.
func (s *source) content(p *payloads) scoring.Payload {
	if p.read != nil {
		return p.read(s)
	}
	as := p.as
	if as == nil {
		as = structured
	}
	for _, key := range p.keys {
		if v, ok := s.attributes.Get(key); ok {
			if content := as(v); content != (scoring.Payload{}) {
				return content
			}
		}
	}
	return scoring.Payload{}
}

// statusBy is the status of a call: by its signs, by that of the span, or by an exception that was recorded on it.
func (s *source) statusBy(t *table) scoring.CallStatus {
	switch code := s.span.Status().Code(); {
	case s.has(t.succeeded...):
		return scoring.StatusOK
	case s.has(t.failed...):
		return scoring.StatusFailed
	case code == ptrace.StatusCodeOk:
		return scoring.StatusOK
	case code == ptrace.StatusCodeError, s.raised():
		return scoring.StatusFailed
	}
	return scoring.StatusUnset
}

// raised reports whether an exception was recorded on the span.
func (s *source) raised() bool {
	for _, e := range s.span.Events().All() {
		if e.Name() == "exception" {
			return true
		}
	}
	return false
}

// has reports whether the span has one of the signs.
func (s *source) has(signs ...sign) bool {
	for i := range signs {
		if v, ok := s.attributes.Get(signs[i].key); ok {
			text := nameText(v)
			if _, is := starred(signs[i].is, text); text != "" && (is || signs[i].is == "") {
				return true
			}
		}
	}
	return false
}

// compiled completes tables by what the conventions say.
func compiled(tables []table) []table {
	complete := func(list *[]string, all ...string) {
		switch {
		case len(*list) == 0:
			*list = all
		case !slices.Contains(*list, all[0]):
			*list = append(*list, all[0])
		}
	}
	named := func(n *names, all names) {
		if len(n.keys) == 0 && len(n.spans) == 0 {
			*n = all
		}
		complete(&n.keys, all.keys...)
	}
	for i := range tables {
		t := &tables[i]
		if t.marks == nil && t.scopes == nil {
			t.marks = t.kind
		}
		named(&t.tool, conventions.tool)
		named(&t.agent, conventions.agent)
		named(&t.workflow, conventions.workflow)
		complete(&t.id, conventions.id...)
		complete(&t.conversation, conventions.conversation...)
		complete(&t.conversation, sessionID)
		complete(&t.arguments.keys, conventions.arguments.keys...)
		complete(&t.output.keys, conventions.output.keys...)
	}
	return tables
}

// A mark is an attribute or a scope that marks the spans of dialects.
type mark struct {
	name     string
	dialects Marks
}

// keyMarks are the attributes: a hash table, in which a key is at its slot or in the next ones.
var keyMarks = func() (slots [256]mark) {
	for i := range dialects {
		for _, key := range dialects[i].marks {
			slot := keySlot(key)
			for slots[slot].name != "" && slots[slot].name != key {
				slot++
			}
			slots[slot].name = key
			slots[slot].dialects |= 1 << i
		}
	}
	return slots
}()

// keySlot is a hash of a key, from its length and one of its bytes.
func keySlot(key string) uint8 {
	const least = 4 // nearly every key is longer, so the CPU foresees the branch; by the shortest mark it would not
	if len(key) < least {
		return 0
	}
	return uint8(len(key)*26) + key[least-1]
}

// findMarks walks over the attributes once, and looks at keys only: whether a mark's value means anything is for the dialect to say.
func findMarks(attributes pcommon.Map) Marks {
	var found Marks
	for key := range attributes.All() {
		for slot := keySlot(key); keyMarks[slot].name != ""; slot++ {
			if m := &keyMarks[slot]; m.name == key {
				found |= m.dialects
			}
		}
	}
	return found
}

// fullScopes are the scopes, and scopePrefixes those that end with a star: a batch may have a scope for each of its spans.
var fullScopes, scopePrefixes = func() (all map[string]Marks, prefixes []mark) {
	all = make(map[string]Marks)
	for i := range dialects {
		for _, scope := range dialects[i].scopes {
			if prefix, ok := strings.CutSuffix(scope, "*"); ok {
				prefixes = append(prefixes, mark{prefix, 1 << i})
			} else {
				all[scope] = 1 << i
			}
		}
	}
	return all, prefixes
}()

func scopeMarks(scope string) Marks {
	if found := fullScopes[scope]; found != 0 {
		return found
	}
	for i := range scopePrefixes {
		if strings.HasPrefix(scope, scopePrefixes[i].name) {
			return scopePrefixes[i].dialects
		}
	}
	return 0
}
