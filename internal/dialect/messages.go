package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages is a format of the messages that a model was given and of its response.
type Messages uint8

const (
	NoMessages            Messages = iota
	VercelMessages                 // ai.response.toolCalls and ai.prompt.messages
	GenAIMessages                  // gen_ai.output.messages and gen_ai.input.messages, and what came before them
	OpenInferenceMessages          // llm.output_messages.<i>... and llm.input_messages.<i>..., flattened
	ADKMessages                    // gcp.vertex.agent.llm_response and .llm_request
	StrandsMessages                // span events, each with a list of content blocks
	GenkitMessages                 // genkit:output and genkit:input
	BeeAIMessages                  // output.value and input.value, as lists of the framework's messages
	LangSmithMessages              // gen_ai.completion and gen_ai.prompt, as the provider or LangChain returned them
	LangfuseMessages               // langfuse.observation.output and .input, in the same form
	LogfireMessages                // response_data and request_data, in the same form
	BraintrustMessages             // braintrust.output_json and .input_json, as the provider returned them
	ADKRustMessages                // as ADKMessages, but a response is the content alone, and a request the part itself
	HaystackMessages               // output.value of an agent, with Python's repr() of each message of its run
	CrewMessages                   // crewai.crew.tasks_output, with Python's repr() of each task's output
	ListMessages                   // gen_ai.tool.name and gen_ai.tool.call.id, as lists of the calls that the span records
	AgentMessages                  // gen_ai.output.messages and others of an agent's span, with all messages of its run
	LiteLLMMessages                // llm.<provider>.<member>, with Python's form of each member of a response
)

// A ModelResponse is what a model call says about tool calls.
type ModelResponse struct {
	// Requests are the calls that the model requests, in its order, without those of tools that were not offered: they cannot have been executed.
	Requests []ToolRequest
	// NotOffered are the requests that were left out.
	NotOffered []ToolRequest
	// Results are the results of earlier calls that the model was given since the user's last message.
	Results []ToolResult
	// Begins: the model was given messages, and none of an assistant or a tool is among them. Offered: the model requested no tool, and the span lists
	// tools that it could have requested. Both are known for some formats, with [Want.Loops].
	Begins, Offered bool
	// Unread: the span may have requests or wanted results that were dropped, cut off or cannot be decoded.
	Unread bool
	// Unrecorded: the model stopped for tools, and the span records no request.
	Unrecorded bool
	// Shares says which agents of a group made the requests, in their order. It is nil for a model call.
	Shares []Share
}

// A Share says that an agent of a group made the next requests, for one of its tasks. The name is valid UTF-8.
type Share struct {
	Agent string `cbor:"1,keyasint,omitzero"`
	Task  int    `cbor:"2,keyasint,omitzero"` // its place in the group, from 0
	// Messages has how many calls each message of the agent requested, in order. Messages without requests are left out.
	Messages []int `cbor:"3,keyasint,omitzero"`
}

// Requests is how many requests the share has.
func (s *Share) Requests() (n int) {
	for _, requests := range s.Messages {
		n += requests
	}
	return n
}

// A ToolRequest is a call that a model requests.
type ToolRequest struct {
	ID        string          `cbor:"1,keyasint,omitzero"` // "" if the model gave it none
	Name      string          `cbor:"2,keyasint,omitzero"`
	Arguments scoring.Payload `cbor:"3,keyasint,omitzero"`
	// Hosted: the model's provider runs the tool, and did so.
	Hosted bool `cbor:"4,keyasint,omitzero"`
	// Answered: the result stands in the same response, so the call was made. Output is that result, and Failed says how it ended.
	Answered bool            `cbor:"5,keyasint,omitzero"`
	Failed   bool            `cbor:"6,keyasint,omitzero"`
	Output   scoring.Payload `cbor:"7,keyasint,omitzero"`
}

// Ran reports whether the response proves that the call was made.
func (q *ToolRequest) Ran() bool { return q.Hosted || q.Answered }

// A ToolResult is the result of a call as the model was shown it.
type ToolResult struct {
	ID     string          `cbor:"1,keyasint,omitzero"`
	Output scoring.Payload `cbor:"2,keyasint,omitzero"`
	Failed bool            `cbor:"3,keyasint,omitzero"`
	// Refused: the result says in words that the call was not made. A tool could say that as well.
	Refused bool `cbor:"4,keyasint,omitzero"`
}

// Want says what the caller will read of a ModelResponse besides the requested calls. Less is cheaper.
type Want struct {
	Results  bool
	Refusals bool // whether results say that a call was not made
	Loops    bool // whether messages begin, and whether tools were offered; it needs Results
	// Arguments of calls and Outputs of results. If they are not wanted, they count as not captured.
	Arguments, Outputs bool
}

// Response reads the messages of the span that was read with the scratch last, or of any with a fresh scratch. No other ModelResponse may use
// the scratch at the same time.
//
// Laws:
//   - calls in the input are never requested again, and every requested call has a name;
//   - a result has an id: without one its call is unknown;
//   - the same span gives the same ModelResponse, is not changed, and is not kept alive by the ModelResponse's texts;
//   - names and ids are valid UTF-8;
//   - a smaller Want leaves out what is not wanted, and changes nothing else.
func (m Messages) Response(span ptrace.Span, want Want, scratch *Scratch) ModelResponse {
	s, a := &scratch.source, &scratch.draft
	scratch.noted = noted{}
	s.span, s.attributes, s.scratch, a.scratch, scratch.want = span, mapOf(span.Attributes()), scratch, scratch, want
	if read := formats[m].read; read != nil {
		read(s, a)
	} else {
		s.jsonResponse(&formats[m], a)
	}
	a.Unread = scratch.unread || m != NoMessages && m != AgentMessages && span.DroppedAttributesCount() > 0
	a.Unrecorded = m != NoMessages && m != AgentMessages && !scratch.asked && s.ended(forTools)
	if want.Loops {
		a.Begins = len(a.Results) == 0 && scratch.spoken && !scratch.answered
		a.Offered = len(a.Requests) == 0 && (scratch.cut || s.wereOffered(m))
	}
	result := a.ModelResponse
	scratch.leave()
	return result
}

// Empty reports whether there is neither a request nor a result. A model that was offered tools may have used none.
func (a *ModelResponse) Empty() bool { return len(a.Requests) == 0 && len(a.Results) == 0 }

// A draft is a ModelResponse while it is read.
type draft struct {
	ModelResponse
	scratch *Scratch
	// response and message are what is being read, for what they say besides the requests.
	response, message scoring.Value
}

func (s *source) draft() draft { return draft{scratch: s.scratch} }

// ask adds a requested call if it has a name, and reports whether it has. It copies the name and the id, which may outlive the span's long text.
func (a *draft) ask(call *ToolRequest) bool {
	a.scratch.asked = true
	if call.Name == "" || a.scratch.source.isOwnTool(call.Name, false) {
		return false
	}
	both := call.ID + " " + call.Name // the space, because one text alone would not be copied
	call.ID, call.Name = both[:len(call.ID)], both[len(call.ID)+1:]
	a.Requests = append(a.Requests, *call)
	return true
}

// hosted notes of all requests whether the model's provider ran the tool.
func hosted(requests []ToolRequest, is bool) {
	for i := range requests {
		requests[i].Hosted = is
	}
}

// tell adds a result if it has the id of its call.
func (a *draft) tell(r ToolResult) {
	if r.ID != "" {
		a.Results = append(a.Results, r)
	}
}

// answers reports whether a role is that of an assistant, or of a tool.
func answers(role string) bool {
	return slices.Contains([]string{"assistant", "tool", "model", "ai", "function"}, role)
}

// hearIn adds the messages of a JSON text or of a list, and reports whether it is cut off.
func (d *Scratch) hearIn(v pcommon.Value) bool {
	text, _ := attributes.Text(v)
	spoken, answered, cut := outerRoles(text, answers)
	d.spoken, d.answered = d.spoken || spoken, d.answered || answered
	return cut
}

// wereOffered reports whether the span lists tools, one at least, for a model that requested none.
func (s *source) wereOffered(m Messages) bool {
	for _, key := range formats[m].lists {
		v, ok := s.attributes.Get(key) // the text of an empty list has brackets only
		if ok && (len(v.Str()) > len("[]") || v.Type() == pcommon.ValueTypeSlice && v.Slice().Len() > 0) {
			return true
		}
	}
	return false
}

// A Scratch is working memory in which a ModelResponse is read. The next ModelResponse uses the memory again, and none of them
// refers to it. The zero value is ready to use, for one ModelResponse at a time.
type Scratch struct {
	noted
	// source is the span, and draft what was read of it. They stand here because their addresses go to the readers of messages.
	source source
	draft  draft
	// decoders decode the first documents of a ModelResponse. Most have no more. used is how many were used.
	decoders [4]scoring.Decoder
	used     int
	fields   flatMessages
	names    offered
	// last is what is known of the scope that was asked for last: whether its instrumentation writes tool spans, and whether its results say how
	// a call ended.
	last struct {
		scope              string
		toolSpans, results bool
	}
}

// noted is what a ModelResponse is read for, and what is noted of it besides.
type noted struct {
	want     Want
	spoken   bool // the model was given messages with roles
	answered bool // one of these is of an assistant or a tool
	unread   bool // a text that may have requests or results could not be read
	asked    bool // the response has requests, also such that do not count
	cut      bool // a length limit ended the response within the arguments of a request, so nobody ran it
}

// spareItems bounds the memory that a Scratch keeps after a long ModelResponse.
const spareItems = 1 << 10

// leave clears the memory after a ModelResponse, so that the scratch keeps no span alive.
func (d *Scratch) leave() {
	for i := range d.decoders {
		d.decoders[i].Forget()
	}
	d.used, d.draft, d.source = 0, draft{}, source{scope: d.source.scope}
	d.fields, d.names = emptied(d.fields), emptied(d.names)
}

// emptied is list without elements, and without what they point to.
func emptied[S ~[]E, E any](list S) S {
	if cap(list) > spareItems {
		return nil
	}
	clear(list)
	return list[:0]
}

// document decodes the attribute key, which is JSON text or a structured value. Decoding a long text is expensive and most
// texts request no call, so one of the words must be in it. What cannot be decoded yields null, and the response is unread.
func (s *source) document(key string, tells wordList) scoring.Value {
	v, ok := s.attributes.Get(key)
	if !ok {
		return scoring.Value{}
	}
	document, read := s.scratch.documentOf(v, tells)
	s.scratch.unread = s.scratch.unread || !read
	return document
}

// hint decodes an attribute without which the response can be read.
func (s *source) hint(key string, tells wordList) scoring.Value {
	unread := s.scratch.unread
	document := s.document(key, tells)
	s.scratch.unread = unread
	return document
}

// documentOf reports false if v may have the words and cannot be decoded.
func (d *Scratch) documentOf(v pcommon.Value, tells wordList) (document scoring.Value, read bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr, pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
		text, ok := attributes.Text(v)
		if !ok {
			return scoring.Value{}, false
		}
		return d.decoded(text, tells)
	}
	return scoring.Value{}, true
}

// decoded is the value of a JSON text, or null if it is none or has none of the words. It is valid until the ModelResponse
// is done. It reports false if the text may have the words and cannot be decoded. Prose has none.
func (d *Scratch) decoded(text string, tells wordList) (v scoring.Value, read bool) {
	if !tells.in(text) {
		return scoring.Value{}, !isCutJSON(text)
	}
	decode := scoring.Decode
	if d.used < len(d.decoders) {
		decode = d.decoders[d.used].Decode
		d.used++
	}
	v, err := decode(text)
	if err == nil {
		return v, true
	}
	if python, ok := pythonJSON(text); ok {
		v, err = scoring.Decode(python)
		return v, err == nil
	}
	return scoring.Value{}, !isDocument(text)
}

// opened decodes a string that is itself JSON, an object or an array. Anything else stays as it is.
func (d *Scratch) opened(v scoring.Value) scoring.Value {
	text := strings.TrimSpace(v.Text())
	if text == "" || text[0] != '{' && text[0] != '[' {
		return v
	}
	if inner, _ := d.decoded(text, nil); inner.Kind() != scoring.Null {
		return inner
	}
	return v
}

// offered are the names of the tools that a model could request, or none if the span does not list them. The scratch and the span have their memory.
type offered []string

// keepOffered removes the requests of tools that were not offered, because they cannot have been executed. A framework may find a tool
// although the model spelled its name with other case or separators. Such a request has the name of the tool that was offered.
func (a *draft) keepOffered(o offered) {
	const few = 8 // calls, for which the names need not be put in a table if they are spelled alike
	if len(o) == 0 {
		return
	}
	var tools toolname.Spellings
	kept := a.Requests[:0]
	for _, call := range a.Requests {
		if len(a.Requests) <= few && slices.Contains(o, call.Name) {
			kept = append(kept, call)
			continue
		}
		if tools == nil {
			tools = make(toolname.Spellings, len(o))
			for _, name := range o {
				tools.Add(toolname.Key(name), name)
			}
		}
		switch name, alike := tools[toolname.Key(call.Name)]; {
		case alike, call.Hosted, call.Answered: // a provider's own tools may be missing in the list
			call.Name = cmp.Or(name, call.Name)
			kept = append(kept, call)
		case call.Name != finalAnswer || !slices.Contains(o, finalAnswerText): // see offer
			a.NotOffered = append(a.NotOffered, call)
		}
	}
	clear(a.Requests[len(kept):])
	if a.Requests = kept; len(kept) == 0 {
		a.Requests = nil
	}
}

// toolNames are the names in a list of tools, however a provider describes a tool.
func (d *Scratch) toolNames(tools scoring.Value) offered {
	d.names = emptied(d.names)
	used := d.used
	for tool := range tools.Elements() {
		d.used = used // the tool before has been read
		d.offer(d.opened(tool))
	}
	return d.offered()
}

// toolsIn are the names in the attribute key. The elements of a list are decoded one by one: a text in a larger document would be decoded twice.
func (s *source) toolsIn(key string) offered {
	v, ok := s.attributes.Get(key)
	if !ok {
		return nil
	}
	if v.Type() != pcommon.ValueTypeSlice {
		tools, _ := s.scratch.documentOf(v, nil)
		return s.scratch.toolNames(tools)
	}
	s.scratch.names = emptied(s.scratch.names)
	for _, tool := range v.Slice().All() {
		s.scratch.offerIn(tool)
	}
	return s.scratch.offered()
}

// listed are the names of the tools in the attributes <prefix><i>.<field>.
func (s *source) listed(prefix, field string) offered {
	s.scratch.names = emptied(s.scratch.names)
	for key, value := range s.attributes.All() {
		if rest, ok := cutKey(key, prefix); ok {
			if _, rest, ok = cutIndex(rest); ok && rest == field {
				s.scratch.offerIn(value)
			}
		}
	}
	return s.scratch.offered()
}

// offered are the names that were found, or none if a tool has no name, because other tools may have been offered as well.
func (d *Scratch) offered() offered {
	if slices.Contains(d.names, "") {
		return nil
	}
	return d.names
}

// offerIn adds the name of the tool that a value describes, or that it is.
func (d *Scratch) offerIn(v pcommon.Value) {
	used := d.used
	tool, read := d.documentOf(v, nil)
	if d.used = used; read && tool.Kind() == scoring.Null { // used for the next tool
		d.names = append(d.names, nameText(v))
		return
	}
	d.offer(tool)
}

// offer adds the name of a tool, "" if it has none, or those of all functions that a tool of Gemini declares.
func (d *Scratch) offer(tool scoring.Value) {
	functions := first(tool, "functionDeclarations", "function_declarations")
	for function := range functions.Elements() {
		d.names = append(d.names, member(function, "name"))
	}
	if functions.Len() > 0 {
		return
	}
	name := valid(tool.Text())
	for _, holder := range [...]scoring.Value{tool, at(tool, "function"), at(tool, "custom"), at(tool, "toolSpec")} {
		if name != "" {
			break
		}
		if name = member(holder, "name"); name == finalAnswer && member(holder, "description") == finalAnswerText {
			name = finalAnswerText // which no request names
		}
	}
	d.names = append(d.names, name)
}
