package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A Format reads the test cases of another tool.
type Format struct {
	// Matches are the words for [Set.Match], and Arguments those for [Set.Arguments], the default first.
	Matches, Arguments []string
	// Read adds the cases of a file.
	Read func(set *Set, text []byte) error
	// metric is the metric that scores as the other tool does. It is nil if the cases name their metrics.
	metric func(set *Set) options
}

// Formats are all formats by their names.
var Formats = map[string]Format{
	"adk":        {[]string{"EXACT", "IN_ORDER", "ANY_ORDER"}, []string{"exact", "ignore"}, readADK, metricADK},
	"agentevals": {[]string{"strict", "unordered", "subset", "superset"}, []string{"exact", "ignore", "subset", "superset"}, readAgentevals, metricAgentevals},
	"deepeval":   {nil, nil, readDeepEval, metricDeepEval},
	"promptfoo":  {nil, nil, readPromptfoo, nil},
}

// Mixed reports whether the cases of the format name their metrics, so that they are no dataset.
func (f Format) Mixed() bool { return f.metric == nil }

// readADK reads an eval set of Google ADK. The invocations of a conversation are its turns.
func readADK(s *Set, file []byte) error {
	sets, err := values(file)
	if err != nil || len(sets) != 1 || get(sets[0], "eval_cases") == nil {
		return errors.New("no eval set: it has no eval_cases")
	}
	s.rest("eval set", sets[0], "eval_cases eval_set_id name description creation_timestamp")
	cases, err := objects(sets[0], "eval_cases")
	if err != nil {
		return err
	}
	for _, c := range cases {
		if err := s.caseADK(c); err != nil {
			return fmt.Errorf("eval case %q: %w", text(c, "eval_id"), err)
		}
	}
	return nil
}

func (s *Set) caseADK(c any) error {
	x := Case{Key: text(c, "eval_id")}
	if x.Key == "" {
		return errors.New("it has no eval_id")
	}
	s.rest("eval case", c, "eval_id conversation creation_timestamp")
	turns, err := objects(c, "conversation")
	if err != nil {
		return err
	}
	for i, turn := range turns {
		tools, err := s.toolsADK(turn)
		if err != nil {
			return fmt.Errorf("conversation[%d]: %w", i, err)
		}
		x.Turns = append(x.Turns, Case{Tools: tools})
	}
	switch len(turns) {
	case 0:
		s.note("eval case without a conversation, which expects no tools")
		return nil
	case 1:
		x.Tools, x.Turns = x.Turns[0].Tools, nil
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// toolsADK are the tool uses of an invocation: in a list, or in its events.
func (s *Set) toolsADK(turn any) ([]Tool, error) {
	s.rest("invocation", turn, "invocation_id user_content intermediate_data creation_timestamp duration model_duration tool_duration app_details")
	s.rest("intermediate data", get(turn, "intermediate_data"), "tool_uses invocation_events")
	calls, err := objects(turn, "intermediate_data.tool_uses")
	parts, wrong := objects(turn, "intermediate_data.invocation_events.content.parts")
	if err := cmp.Or(err, wrong); err != nil {
		return nil, err
	}
	for _, part := range parts {
		s.rest("part of an event", part, "function_call thought_signature")
		calls = append(calls, listed(get(part, "function_call"))...)
	}
	tools := []Tool{}
	for _, call := range calls {
		tool, err := toolOf(call, get(call, "args"), map[string]any{})
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// metricADK is ADK's tool_trajectory_avg_score, which is 1 or 0 for each invocation.
func metricADK(s *Set) options {
	order := map[string]string{"": "exact", "EXACT": "exact", "IN_ORDER": "in_order", "ANY_ORDER": "any"}[s.Match]
	return options{"native": native(order, cmp.Or(s.Arguments, "exact"))}
}

// readAgentevals reads reference trajectories of LangChain's agentevals. A file has a list of messages for one case, or
// objects with reference_outputs (or reference_trajectory, or messages). Their id or name is the key.
func readAgentevals(s *Set, file []byte) error {
	cases, err := values(file)
	if err != nil {
		return err
	}
	if len(cases) > 0 && get(cases[0], "role") != nil {
		return s.trajectory("trajectory", cases)
	}
	for i, c := range cases {
		s.rest("case", c, "id name inputs outputs reference_outputs reference_trajectory messages")
		key := cmp.Or(text(c, "id", "name"), fmt.Sprintf("trajectory/%d", i+1))
		for _, place := range []string{"reference_outputs", "reference_trajectory", "messages", "messages"} {
			c = cmp.Or(get(c, place), c)
		}
		messages, is := c.([]any)
		if !is {
			return fmt.Errorf("case %d: it has no list of messages in reference_outputs, reference_trajectory or messages", i+1)
		}
		if err := s.trajectory(key, messages); err != nil {
			return fmt.Errorf("case %d: %w", i+1, err)
		}
	}
	return nil
}

// trajectory adds a case with the tool calls of messages. A call is {"function": {"name", "arguments": JSON as text}} as OpenAI has it,
// or {"name", "args"} as LangChain has it.
func (s *Set) trajectory(key string, messages []any) error {
	x := Case{Key: key, Tools: []Tool{}}
	for i, message := range messages {
		calls, err := objects(message, "tool_calls")
		if err != nil {
			return fmt.Errorf("messages[%d].%w", i, err)
		}
		for j, call := range calls {
			call = cmp.Or(get(call, "function"), call)
			tool, err := toolOf(call, cmp.Or(get(call, "args"), get(call, "arguments")), map[string]any{})
			if err != nil {
				return fmt.Errorf("messages[%d].tool_calls[%d]: %w", i, j, err)
			}
			x.Tools = append(x.Tools, tool)
		}
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// metricAgentevals is create_trajectory_match_evaluator. Its subset is a precision of 1, because all calls must be in the
// reference.
func metricAgentevals(s *Set) options {
	// What they call a subset, the call's arguments in the reference's, is our superset.
	arguments := map[string]string{"": "exact", "exact": "exact", "ignore": "ignore", "subset": "superset", "superset": "subset"}[s.Arguments]
	order := map[string]string{"": "exact", "strict": "exact", "unordered": "any", "subset": "any", "superset": "any"}[s.Match]
	o := native(order, arguments)
	switch s.Match {
	case "unordered":
		o["extra_calls"] = "forbid"
	case "subset":
		o["score"] = "precision"
	}
	return options{"native": o}
}

// readDeepEval reads goldens of DeepEval: a JSON list, or JSON lines.
func readDeepEval(s *Set, file []byte) error {
	goldens, err := values(file)
	if err != nil {
		return fmt.Errorf("no goldens: %w", err)
	}
	for i, golden := range goldens {
		if err := s.golden(golden); err != nil {
			return fmt.Errorf("golden %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) golden(g any) error {
	tools, err := objects(g, "expected_tools")
	switch {
	case err != nil:
		return err
	case get(g, "scenario") != nil:
		s.note("golden of several turns (scenario)")
		return nil
	case get(g, "input") == nil:
		return errors.New("it has no input")
	case get(g, "expected_tools") == nil:
		s.note("golden without expected_tools")
		return nil
	}
	s.rest("golden", g, "input name expected_tools source_file comments token_cost input_token_count output_token_count")
	x := Case{Key: text(g, "name", "input"), Tools: []Tool{}}
	for _, t := range tools {
		s.rest("expected tool", t, "name type input_parameters output description reasoning")
		tool, err := toolOf(t, get(t, "input_parameters"), nil)
		if err != nil {
			return err
		}
		tool.Output = get(t, "output")
		if kind := text(t, "type"); kind != "" && kind != "FUNCTION" {
			s.note("type " + kind + " of an expected tool")
		}
		x.Tools = append(x.Tools, tool)
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// metricDeepEval is ToolCorrectnessMetric with its defaults. An output that was not captured is none, as it is in a test case of
// DeepEval that is built from the same spans.
func metricDeepEval(*Set) options { return options{"deepeval": options{"uncaptured": "none"}} }

// values are the JSON values of a text: the elements of one list, or one value a line. Numbers stay as they are written.
func values(text []byte) (all []any, err error) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\uFEFF"))
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		var value any
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("number %d is no JSON: %w", len(all)+1, err)
		}
		all = append(all, value)
	}
	if len(all) == 1 {
		all = listed(all[0])
	}
	return all, nil
}

var capital = regexp.MustCompile("[A-Z]")

// snake is a key in snake_case, which may be written in camelCase.
func snake(key string) string {
	return capital.ReplaceAllStringFunc(key, func(c string) string { return "_" + strings.ToLower(c) })
}

// get is the value of a key of an object; nil if there is none.
func get(object any, key string) any {
	pairs, _ := object.(map[string]any)
	for name, value := range pairs {
		if snake(name) == key && value != nil {
			return value
		}
	}
	return nil
}

// text is the text of the first of some keys that has one; empty if none has.
func text(object any, keys ...string) string {
	for _, key := range keys {
		if s, _ := get(object, key).(string); s != "" {
			return s
		}
	}
	return ""
}

// listed are the elements of a list, or the value by itself; none of nil.
func listed(value any) []any {
	if list, is := value.([]any); is || value == nil {
		return list
	}
	return []any{value}
}

// objects are all objects at a path of keys with dots, in the lists on the way as well. What is no object is an error.
func objects(value any, path string) ([]any, error) {
	all := []any{value}
	for key := range strings.SplitSeq(path, ".") {
		var next []any
		for _, object := range all {
			next = append(next, listed(get(object, key))...)
		}
		if slices.ContainsFunc(next, func(v any) bool { _, is := v.(map[string]any); return !is }) {
			return nil, fmt.Errorf("%s: must be an object, or a list of objects", key)
		}
		all = next
	}
	return all, nil
}

// rest notes the keys of an object that are not known and say something. known has keys between spaces.
func (s *Set) rest(where string, object any, known string) {
	pairs, _ := object.(map[string]any)
	for key, value := range pairs {
		said, _ := json.Marshal(value) // it was JSON
		empty := slices.Contains([]string{"null", `""`, "[]", "{}"}, string(said))
		if key = snake(key); !empty && !slices.Contains(strings.Fields(known), key) {
			s.note(where + "." + key)
		}
	}
}

// toolOf is an expected tool by its name, with its arguments, which may be JSON as text. What says nothing of them has others.
func toolOf(object, arguments, otherwise any) (Tool, error) {
	name := text(object, "name")
	if name == "" {
		return Tool{}, errors.New("a tool has no name")
	}
	if inner, is := arguments.(string); is {
		all, err := values([]byte(inner))
		if err != nil || len(all) != 1 {
			return Tool{}, errors.New("its arguments are no JSON")
		}
		arguments = all[0]
	}
	return Tool{Name: name, Arguments: cmp.Or(arguments, otherwise)}, nil
}
