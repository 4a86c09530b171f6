package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

	// The compiler inlines the iterators of a value in a package that imports theirs, else each loop over a value allocates.
	_ "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A format is where and how spans have the messages of a model: as JSON, or whatever read knows.
type format struct {
	read func(*source, *draft)
	// lists are where a span lists the tools that a model was offered.
	lists []string
	// response and given are the attributes of the response and of what the model was given.
	response, given string
	// asks and tells are words that are in every response with requests, and in all that was given with results or a list of tools.
	asks, tells wordList
	// requests and results are how these are written.
	requests, results []shape
	// path leads to the message in a response, which otherwise has one of the usual places.
	path  []string
	whole bool // the response may be a whole conversation
	// offered is the attribute with the list of tools, and tools its path in what was given.
	offered string
	tools   []string
	// asked changes the requests by what else the span says.
	asked func(*source, []ToolRequest)
}

// A shape is how a request or a result is written: in an object of one of the types kind, in the member in, or with a payload.
type shape struct {
	kind, in []string
	id, name string
	payload  []string
	outside  bool   // the id is beside the member in
	omitted  bool   // a payload that is empty is left out
	blocks   bool   // an output may be a list of content blocks
	typed    bool   // an output may be {"type", "value"}
	hosted   bool   // the model's provider runs the tool, and the result may be in the request
	called   string // the tool's name, if it is always the same
	details  bool   // the payload has what the tool was given in a form of its own
}

// The shapes of providers and frameworks.
// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai (from 1.37); https://github.com/openai/openai-openapi (chat
// completions, responses); https://github.com/anthropics/anthropic-sdk-python, src/anthropic/types; https://github.com/googleapis/python-genai,
// google/genai/types.py; https://github.com/langchain-ai/langchain, libs/core/langchain_core/messages; https://github.com/vercel/ai,
// packages/ai/src/generate-text and packages/provider; https://github.com/i-am-bee/beeai-framework, typescript/src/backend/message.ts, which keeps
// the AI SDK's; https://github.com/firebase/genkit, js/ai/src/model-types.ts; https://github.com/strands-agents/sdk-python,
// src/strands/telemetry/tracer.py.
var (
	// LiteLLM leaves OpenAI's form beside the parts.
	genAIRequests = []shape{
		{kind: []string{"tool_call"}, id: "id", name: "name", payload: []string{"arguments"}},
		{kind: []string{"server_tool_call"}, id: "id", name: "name", payload: []string{"server_tool_call"}, hosted: true, details: true},
		{in: []string{"function"}, id: "id", name: "name", payload: []string{"arguments"}, outside: true},
	}
	genAIResults = []shape{
		{kind: []string{"tool_call_response"}, id: "id", payload: []string{"response", "result"}},
		{kind: []string{"server_tool_call_response"}, id: "id", payload: []string{"server_tool_call_response"}},
		{id: "tool_call_id", payload: []string{"content", "parts"}},
	}

	geminiRequests = []shape{{in: []string{"functionCall", "function_call"}, id: "id", name: "name", payload: []string{"args"}, omitted: true}}
	// By Gemini's definition a response whose only member is named error is a failure, but a tool may return just that.
	geminiResults = []shape{{in: []string{"functionResponse", "function_response"}, id: "id", payload: []string{"response"}}}

	genkitRequests = []shape{{in: []string{"toolRequest"}, id: "ref", name: "name", payload: []string{"input"}}}
	genkitResults  = []shape{{in: []string{"toolResponse"}, id: "ref", payload: []string{"output"}}}

	// The SDK for TypeScript also writes a type instead of the outer object.
	strandsRequests = []shape{
		{in: []string{"toolUse"}, id: "toolUseId", name: "name", payload: []string{"input"}},
		{kind: []string{"toolUse"}, id: "toolUseId", name: "name", payload: []string{"input"}},
	}
	strandsResults = []shape{{in: []string{"toolResult"}, id: "toolUseId", payload: []string{"content"}, blocks: true}}

	vercelRequests = []shape{{id: "toolCallId", name: "toolName", payload: []string{"input", "args"}}} // args in version 4
	vercelResults  = []shape{{kind: []string{"tool-result"}, id: "toolCallId", payload: []string{"output", "result"}, typed: true}}
	beeAIRequests  = []shape{{kind: []string{"tool-call"}, id: "toolCallId", name: "toolName", payload: []string{"input", "args"}}}

	// Those of providers and LangChain, which some instrumentations write unchanged. OpenAI's form before tools is one function, without an ID.
	rawRequests = []shape{
		{kind: []string{"function_call", "custom_tool_call"}, id: "call_id", name: "name", payload: []string{"arguments", "input"}},
		{in: []string{"function", "custom"}, id: "id", name: "name", payload: []string{"arguments", "input"}, outside: true},
		{id: "id", name: "name", payload: []string{"args"}}, // LangChain
		{kind: []string{"tool_use"}, id: "id", name: "name", payload: []string{"input"}},
		{kind: []string{"server_tool_use", "mcp_tool_use"}, id: "id", name: "name", payload: []string{"input"}, hosted: true},
		{kind: []string{"mcp_call"}, id: "id", name: "name", payload: []string{"arguments"}, hosted: true},
		{kind: []string{"web_search_call"}, id: "id", called: "web_search", payload: []string{"action"}, hosted: true, details: true},
		{kind: []string{"file_search_call"}, id: "id", called: "file_search", payload: []string{"queries"}, hosted: true, details: true},
		{kind: []string{"code_interpreter_call"}, id: "id", called: "code_interpreter", payload: []string{"code"}, hosted: true, details: true},
		{in: []string{"functionCall", "function_call"}, id: "id", name: "name", payload: []string{"args", "arguments"}, omitted: true},
	}
	rawResults = []shape{
		{kind: []string{"function_call_output", "custom_tool_call_output"}, id: "call_id", payload: []string{"output"}, blocks: true},
		{kind: []string{"tool_result"}, id: "tool_use_id", payload: []string{"content"}, blocks: true},
		{id: "tool_use_id", payload: []string{"content"}, blocks: true}, // web_search_tool_result and others
		{id: "tool_call_id", payload: []string{"content"}, blocks: true},
	}
)

var formats = [...]format{
	GenAIMessages:         {read: (*source).genAIResponse, lists: []string{genAIDefinitions, openLLMetryTools + "0.name"}},
	OpenInferenceMessages: {read: (*source).openInferenceResponse, lists: []string{openInferenceTools + "0." + openInferenceSchema, genAIDefinitions}},
	StrandsMessages:       {read: (*source).strandsResponse},
	HaystackMessages:      {read: (*source).haystackResponse},
	CrewMessages:          {read: (*source).crewResponse},
	ListMessages:          {read: (*source).listedCalls},
	AgentMessages:         {read: (*source).transcript},
	LiteLLMMessages:       {read: (*source).liteLLMResponse},
	VercelMessages: {
		response: "ai.response.toolCalls", asks: wordsOf("toolCallId"), requests: vercelRequests,
		given: "ai.prompt.messages", tells: wordsOf("tool-result"), results: vercelResults, offered: "ai.prompt.tools", asked: vercelAsked,
	},
	ADKMessages: {
		response: "gcp.vertex.agent.llm_response", asks: wordsOf("functionCall", "function_call"), requests: geminiRequests,
		given: "gcp.vertex.agent.llm_request", results: geminiResults, path: []string{"content"}, tools: []string{"config", "tools"},
	},
	GenkitMessages: {
		response: genkitOutput, asks: wordsOf("toolRequest"), requests: genkitRequests,
		given: genkitInput, results: genkitResults, tools: []string{"tools"},
	},
	// The span of a response does not list the offered tools, and the span of a request has no response.
	BeeAIMessages: {
		response: openInferenceOutput, asks: wordsOf("tool-call"), requests: beeAIRequests,
		given: openInferenceInput, tells: wordsOf("tool-result"), results: vercelResults,
	},
	LangSmithMessages: raw(langSmithOutput, langSmithInput, nil),
	LangfuseMessages:  raw(langfuseOutput, langfuseInput, nil),
	LogfireMessages:   raw(logfireResponse, logfireGiven, logfireAsked),
	// Source: https://github.com/braintrustdata/braintrust-sdk-java, InstrumentationSemConv.
	BraintrustMessages: raw("braintrust.output_json", "braintrust.input_json", nil),
	// Source: https://github.com/zavora-ai/adk-rust, adk-core/src/types.rs. Results are not read: those of calls that were denied look like any other.
	ADKRustMessages: {
		response: "gcp.vertex.agent.llm_response", asks: wordsOf("args"), requests: []shape{{id: "id", name: "name", payload: []string{"args"}}},
		given: "gcp.vertex.agent.llm_request",
	},
}

// rawAsks are words of requests, and of calls that providers made by themselves.
var rawAsks = wordsOf(
	"tool_calls", "tool_use", "function_call", "functionCall", "custom_tool_call",
	"server_tool_use", "mcp_tool_use", "mcp_call", "web_search_call", "file_search_call", "code_interpreter_call",
)

// raw is the format of responses of providers and LangChain.
func raw(response, given string, asked func(*source, []ToolRequest)) format {
	return format{
		response: response, asks: rawAsks, requests: rawRequests,
		given: given, tells: wordsOf("tools", "tool_call_id", "tool_result", "function_call_output", "custom_tool_call_output"), results: rawResults,
		whole: true, offered: genAIDefinitions, tools: []string{"tools"}, asked: asked,
	}
}

// jsonResponse reads a response and what the model was given, which is decoded at most once, and only where something of it is needed.
func (s *source) jsonResponse(f *format, a *draft) {
	a.askAll(at(s.document(f.response, f.asks), f.path...), f.requests, f.results, f.whole)
	if f.asked != nil {
		f.asked(s, a.Requests)
	}
	var given scoring.Value
	if s.scratch.want.Results || len(a.Requests) > 0 && f.tools != nil {
		given = s.document(f.given, f.tells)
	}
	if s.scratch.want.Results {
		a.tellAll(given, f.results)
	}
	if len(a.Requests) == 0 {
		return
	}
	var tools offered
	if f.offered != "" {
		tools = s.toolsIn(f.offered)
	}
	if len(tools) == 0 && f.tools != nil {
		tools = s.scratch.toolNames(at(given, f.tools...))
	}
	a.keepOffered(tools)
}

// shapeOf is the first of shapes that a value has, and the object that has its fields.
func shapeOf(v scoring.Value, shapes []shape) (*shape, scoring.Value) {
	kind := at(v, "type").Text()
	for i := range shapes {
		sh := &shapes[i]
		switch {
		case sh.kind != nil:
			if slices.Contains(sh.kind, kind) {
				return sh, v
			}
		case sh.in != nil:
			if fields := first(v, sh.in...); fields.Kind() == scoring.Object {
				return sh, fields
			}
		case first(v, sh.payload...).Kind() != scoring.Null:
			if _, known := v.Member(sh.id); known || sh.name != "" {
				return sh, v
			}
		}
	}
	return nil, v
}

// askAll adds the requests in a response. Of several choices only the first counts, and of a whole conversation only what comes last. A response may
// also have the results of its own requests: a provider runs tools by itself, and the span of a client may be around a whole loop.
func (a *draft) askAll(response scoring.Value, requests, results []shape, whole bool) {
	a.response = response
	if choice := at(head(response), "message"); choice.Kind() == scoring.Object {
		response = choice
	} else if response.Kind() == scoring.Object {
		response = responseIn(response)
	}
	if response.Kind() == scoring.Object {
		a.askAnswered(plain(response), requests, results)
		return
	}
	var later []ToolResult
	for message := range response.Elements() {
		if whole {
			if message = plain(message); is(message, "role", "user", "tool", "human") || is(message, "type", "human", "tool") { // no response
				a.Requests = nil
				continue
			}
		}
		later = append(later, a.askAnswered(message, requests, results)...)
	}
	answer(a.Requests, later, false)
}

// askAnswered adds the requests of a message, with their results, which are other parts of it. It returns the results in a message without requests.
func (a *draft) askAnswered(message scoring.Value, requests, results []shape) []ToolResult {
	before := len(a.Requests)
	a.askMessage(message, requests)
	asked := a.Requests[before:]
	if len(a.Requests) == 0 || len(asked) > 0 && !hasMore(first(message, "parts", "content"), requests) {
		return nil
	}
	told := a.scratch.source.draft()
	if told.tellMessage(message, results); len(asked) == 0 {
		return told.Results
	}
	answer(asked, told.Results, true)
	return nil
}

// hasMore reports whether one of the parts of a message is neither a text nor a request.
func hasMore(parts scoring.Value, requests []shape) bool {
	for part := range parts.Elements() {
		if is(part, "type", "text") {
			continue
		}
		if sh, _ := shapeOf(part, requests); sh == nil {
			return true
		}
	}
	return false
}

// answer notes which requests have a result in the same response. In the same message, it is the provider's.
func answer(requests []ToolRequest, results []ToolResult, hosted bool) {
	if len(results) == 0 {
		return
	}
	byID := make(map[string]*ToolResult, len(results))
	for i := range results {
		byID[results[i].ID] = &results[i]
	}
	for i := range requests {
		q := &requests[i]
		if r := byID[q.ID]; r != nil {
			q.Answered, q.Failed, q.Output, q.Hosted = true, r.Failed, r.Output, q.Hosted || hosted
		}
	}
}

// Why a response ended, for [isEnd].
var (
	lengthLimits = []string{"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "incomplete"}
	forTools     = []string{"tool_calls", "tool_call", "tool_use", "function_call"}
)

// isEnd reports whether one of the words is a reason for the end of a response. Reasons may be a list, and have the name of their type.
func isEnd(reasons string, words []string) bool {
	for reason := range strings.SplitSeq(strings.ToLower(reasons), ",") {
		reason = strings.ReplaceAll(strings.Trim(reason, `[]" `), "-", "_")
		if slices.Contains(words, reason[strings.LastIndexByte(reason, '.')+1:]) {
			return true
		}
	}
	return false
}

// ended reports whether one of the words is a reason that the span gives for the end of the response.
func (s *source) ended(words []string) bool {
	for _, key := range [...]string{"gen_ai.response.finish_reasons", "ai.response.finishReason", "gen_ai.completion.0.finish_reason", "llm.finish_reason"} {
		v, ok := s.attributes.Get(key)
		if ok && v.Type() == pcommon.ValueTypeSlice {
			for _, reason := range v.Slice().All() {
				if isEnd(reason.Str(), words) {
					return true
				}
			}
		} else if ok && isEnd(v.Str(), words) {
			return true
		}
	}
	return false
}

// endedEarly reports whether a length limit ended the response, by what is said in it, beside it, or on the span.
func (a *draft) endedEarly() bool {
	response := a.response
	for _, v := range [...]scoring.Value{
		response, a.message, at(response, "0"), at(response, "choices", "0"), at(response, "candidates", "0"), at(response, "generations", "0", "0"),
	} {
		for _, v := range [...]scoring.Value{v, at(v, "response_metadata"), at(v, "generation_info"), at(v, "incomplete_details")} {
			for _, key := range [...]string{"finish_reason", "finishReason", "stop_reason", "stopReason", "reason", "status"} {
				if isEnd(at(v, key).Text(), lengthLimits) {
					return true
				}
			}
		}
	}
	return a.scratch.source.ended(lengthLimits)
}

// responseIn finds the message, or the list of messages, in a response.
func responseIn(response scoring.Value) scoring.Value {
	for _, path := range [...][]string{
		{"choices", "0", "message"}, {"candidates", "0", "content"}, {"generations", "0", "0", "message"}, {"message"}, {"output"}, {"messages"},
	} {
		if inner := at(response, path...); inner.Kind() == scoring.Object || inner.Kind() == scoring.Array {
			return inner
		}
	}
	return response
}

// plain is a message without the constructor that LangChain serialises it in.
func plain(message scoring.Value) scoring.Value {
	if kwargs := at(message, "kwargs"); kwargs.Kind() == scoring.Object && at(message, "lc").Kind() == scoring.Number {
		return kwargs
	}
	return message
}

// askMessage adds the requests of one message, from the first place that has any: LangChain repeats them. A message may be a request itself.
func (a *draft) askMessage(message scoring.Value, shapes []shape) {
	a.message = message
	for _, key := range [...]string{"tool_calls", "content", "parts"} {
		if list, ok := message.Member(key); ok && a.askParts(list, shapes) {
			return
		}
	}
	more := at(message, "additional_kwargs")
	if !a.askParts(at(more, "tool_calls"), shapes) && !a.askPart(message, shapes) {
		a.askPart(more, shapes)
	}
}

// askParts adds the requests in a list, and reports whether there were any.
func (a *draft) askParts(list scoring.Value, shapes []shape) bool {
	before := len(a.Requests)
	for part := range list.Elements() {
		a.askPart(part, shapes)
	}
	return len(a.Requests) > before
}

// askPart adds a request of one of the shapes, and reports whether it is one.
func (a *draft) askPart(part scoring.Value, shapes []shape) bool {
	const usual = 4 // members of a part: its type, ID, name and arguments
	sh, fields := shapeOf(part, shapes)
	if sh == nil {
		return false
	}
	written, marked := first(fields, sh.payload...), fields
	if sh.outside {
		marked = part
	}
	request := ToolRequest{
		ID: member(marked, sh.id), Name: cmp.Or(sh.called, member(fields, sh.name)),
		Arguments: decodedTwice(encoded(a.scratch.want.Arguments, fields, sh.payload...)),
		Hosted:    sh.hosted || part.Len() > usual && (at(part, "builtin").Bool() || at(part, "providerExecuted").Bool()),
	}
	if sh.hosted {
		a.readHosted(&request, sh, fields)
	}
	cut := request.Arguments.Look(isCutOff)
	if !a.scratch.want.Arguments {
		_, saysCut := written.Member("_truncated")
		cut = isCutOff(written.Text()) || saysCut && asPayload(written).Look(isCutOff)
	}
	if cut && !a.ranCut(&request) || request.Hosted && !sh.hosted && !a.readBuiltin(&request, written) {
		return false
	}
	if sh.omitted && a.scratch.want.Arguments && !request.Arguments.Captured() {
		request.Arguments = scoring.Omitted()
	}
	return a.ask(&request)
}

// ranCut reports whether a request may have been run though its arguments were cut off: nobody runs what a length limit ended.
func (a *draft) ranCut(q *ToolRequest) bool {
	if a.endedEarly() {
		a.scratch.cut = true
		return false
	}
	if q.Arguments != (scoring.Payload{}) {
		q.Arguments = scoring.TooLarge()
	}
	return true
}

// readHosted reads what a provider says of a call that it made: its details, and how it ended.
func (a *draft) readHosted(q *ToolRequest, sh *shape, fields scoring.Value) {
	results := []string{"output", "outputs", "results"}
	if details := at(fields, sh.payload[0]); sh.details && a.scratch.want.Arguments {
		if q.Arguments = withoutType(details); details.Kind() != scoring.Object {
			q.Arguments = closed(appendValue(appendName(nil, sh.payload[0]), details))
		}
	}
	q.Failed, q.Answered = saysFailed(fields), first(fields, results...).Kind() != scoring.Null
	if q.Answered && a.scratch.want.Outputs {
		q.Output = asPayload(first(fields, results...))
	}
}

// readBuiltin reads what Pydantic AI writes of a provider's own tool. That of a server is inside of a call of the server; its list of tools is none.
func (a *draft) readBuiltin(q *ToolRequest, written scoring.Value) bool {
	written = a.scratch.opened(written)
	if strings.HasPrefix(q.Name, "mcp_server:") {
		if q.Name = member(written, "tool_name"); a.scratch.want.Arguments {
			q.Arguments = asPayload(at(written, "tool_args"))
		}
		return q.Name != ""
	}
	if a.scratch.want.Arguments && q.Name == "web_search" {
		q.Arguments = withoutType(written)
	}
	return true
}

// withoutType are the members of an object that say more than its type.
func withoutType(v scoring.Value) scoring.Payload {
	var b []byte
	for name, member := range v.Members() {
		if name != "type" && member.Kind() != scoring.Null {
			b = appendValue(appendName(b, name), member)
		}
	}
	return closed(b)
}

// saysFailed reports whether a result, or what is said of a call, is that of a failure.
func saysFailed(v scoring.Value) bool {
	return is(v, "status", "error", "failed") || is(v, "state", "error") || at(v, "is_error").Bool() || at(v, "isError").Bool() ||
		is(v, "type", "mcp_call") && at(v, "error").Kind() != scoring.Null || strings.HasSuffix(at(v, "content", "type").Text(), "_tool_result_error")
}

// isRefusal reports whether the text of a result says that a framework did not make the call.
func isRefusal(text string) bool {
	const longest = 2 << 10
	return len(text) <= longest && (says(text, refusals) || says(text, []string{"tool", "function"}) && says(text, unknownTools))
}

var refusals = []string{
	"validation error", "invalid input for tool", "invalid arguments", "not executed", "denied", "rejected by", "does not want to proceed",
}

// says reports whether a text has some of the words, in any case.
func says(text string, some []string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(some, func(words string) bool { return strings.Contains(text, words) })
}

// tellAll adds the results since the user's last message. Messages are a list, or a member of an object; LangChain has several lists.
func (a *draft) tellAll(given scoring.Value, shapes []shape) {
	if given.Kind() == scoring.Object {
		given = first(given, "messages", "input", "contents")
	}
	if inner := head(given); inner.Kind() == scoring.Array {
		given = inner
	}
	var since []scoring.Value
	for message := range given.Elements() {
		if message = plain(message); isSpoken(message, shapes) {
			since = since[:0] // messages before it belong to an earlier question
			continue
		}
		since = append(since, message)
	}
	for _, message := range since {
		a.tellMessage(message, shapes)
	}
}

// tellMessage adds the results in a message, which may be one itself.
func (a *draft) tellMessage(message scoring.Value, shapes []shape) {
	parts := first(message, "parts", "content")
	if parts.Kind() != scoring.Array || at(message, "tool_call_id").Kind() != scoring.Null {
		a.tellPart(message, shapes)
	}
	for part := range parts.Elements() {
		a.tellPart(part, shapes)
	}
}

// isSpoken reports whether a message is the user's own. Results may be in messages of the user. LangChain has a type for a role.
func isSpoken(message scoring.Value, shapes []shape) bool {
	if role := cmp.Or(at(message, "role").Text(), at(message, "type").Text()); role != "user" && role != "human" {
		return false
	}
	for part := range first(message, "parts", "content").Elements() {
		if sh, _ := shapeOf(part, shapes); sh != nil {
			return false
		}
	}
	return true
}

// tellPart adds a result of one of the shapes. A call that the user did not allow was not executed, and has no result.
func (a *draft) tellPart(part scoring.Value, shapes []shape) {
	sh, fields := shapeOf(part, shapes)
	if sh == nil {
		return
	}
	r := ToolResult{
		ID:     strings.Clone(member(fields, sh.id)),
		Failed: saysFailed(fields), Refused: a.scratch.want.Refusals && isRefusal(first(fields, sh.payload...).Text()),
	}
	output := at(fields, sh.payload[0])
	switch kind := at(output, "type").Text(); {
	case sh.typed && kind == "execution-denied":
		return
	case sh.typed && kind != "":
		r.Output, r.Failed = contentList(encoded(a.scratch.want.Outputs, output, "value")), r.Failed || strings.HasPrefix(kind, "error-")
	case sh.blocks:
		r.Output = contentList(encoded(a.scratch.want.Outputs, fields, sh.payload[0]))
	case output.Kind() == scoring.Null && at(fields, "parts").Len() == 1: // LiteLLM
		r.Output = encoded(a.scratch.want.Outputs, at(fields, "parts", "0"), content)
	default:
		r.Output = encoded(a.scratch.want.Outputs, fields, sh.payload...)
	}
	a.tell(r)
}

// at follows a path of keys, where "0" is the first element of a list. If a key is missing the value is null, which has neither members nor elements.
func at(v scoring.Value, path ...string) scoring.Value {
	for _, key := range path {
		if key == "0" && v.Kind() == scoring.Array {
			v = head(v)
		} else {
			v, _ = v.Member(key)
		}
	}
	return v
}

// first is the member under the first of keys that is there and not null.
func first(v scoring.Value, keys ...string) scoring.Value {
	for _, key := range keys {
		if m, ok := v.Member(key); ok && m.Kind() != scoring.Null {
			return m
		}
	}
	return scoring.Value{}
}

// head is the first element of an array.
func head(v scoring.Value) scoring.Value {
	for e := range v.Elements() {
		return e
	}
	return scoring.Value{}
}

// encoded is the value of the first of keys that v has, as JSON, or nothing that is captured if nobody wants it.
func encoded(wanted bool, v scoring.Value, keys ...string) scoring.Payload {
	for _, key := range keys {
		if m, ok := v.Member(key); ok && wanted {
			return asPayload(m)
		}
	}
	return scoring.Payload{}
}

// asPayload reads a string as JSON text, as models write arguments, and any other value as it is. Null is Python's None: the call has none. An
// empty string counts as not captured: instrumentations leave it when they blank a value.
func asPayload(v scoring.Value) scoring.Payload {
	switch v.Kind() {
	case scoring.Null:
		return scoring.Omitted()
	case scoring.String:
		if text := v.Text(); text != "" {
			return scoring.JSON(strings.Clone(text))
		}
		return scoring.Payload{}
	}
	return payloadOf(v)
}

// member is the name or the id under key, "" if there is none.
func member(v scoring.Value, key string) string {
	switch m, _ := v.Member(key); m.Kind() {
	case scoring.String:
		return valid(m.Text())
	case scoring.Number:
		return m.Lexeme()
	}
	return ""
}

// is reports whether the text under key is one of want.
func is(v scoring.Value, key string, want ...string) bool {
	m, ok := v.Member(key)
	return ok && m.Kind() == scoring.String && slices.Contains(want, m.Text())
}
