package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readAgentevals reads reference trajectories of LangChain's agentevals. A file has a list of messages for one case, or
// objects with reference_outputs (or reference_trajectory, or messages). Their id or name is the key.
func readAgentevals(s *Set, text []byte) error {
	all, err := values(text)
	if err != nil {
		return err
	}
	var first object
	if len(all) > 0 && json.Unmarshal(all[0], &first) == nil && first["role"] != nil {
		return s.trajectory("trajectory", all)
	}
	for i, raw := range all {
		if err := s.caseAgentevals(i, raw); err != nil {
			return fmt.Errorf("case %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) caseAgentevals(i int, raw json.RawMessage) error {
	key := fmt.Sprintf("trajectory/%d", i+1)
	var c, nested object
	if json.Unmarshal(raw, &c) == nil {
		key = cmp.Or(c.text("id"), c.text("name"), key)
		s.rest("case", c, "id", "name", "inputs", "outputs", "reference_outputs", "reference_trajectory", "messages")
		raw = c.first(raw, "reference_outputs", "reference_trajectory", "messages")
	}
	if json.Unmarshal(raw, &nested) == nil {
		raw = nested.first(raw, "messages")
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(raw, &messages); err != nil {
		return errors.New("it has no list of messages in reference_outputs, reference_trajectory or messages")
	}
	return s.trajectory(key, messages)
}

// trajectory adds a case with the tool calls of messages. A call is {"function": {"name", "arguments": JSON as text}} as OpenAI has it,
// or {"name", "args"} as LangChain has it.
func (s *Set) trajectory(key string, messages []json.RawMessage) error {
	x := Case{Key: key, Tools: []Tool{}}
	for i, raw := range messages {
		var message object
		var calls []object
		if err := json.Unmarshal(raw, &message); err != nil {
			return fmt.Errorf("messages[%d] is no object: %w", i, err)
		}
		if err := message.get("tool_calls", &calls); err != nil {
			return fmt.Errorf("messages[%d].%w", i, err)
		}
		for j, call := range calls {
			err := call.get("function", &call)
			arguments := call.first(noArguments, "args", "arguments")
			var text string
			if json.Unmarshal(arguments, &text) == nil {
				arguments = json.RawMessage(text)
			}
			tool, wrong := call.tool(arguments)
			if err := cmp.Or(err, wrong); err != nil {
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
func metricAgentevals(s *Set) method {
	m := map[string]method{
		"strict":    native("exact", "score", "all_or_nothing"),
		"unordered": native("any", "score", "all_or_nothing", "extra_calls", "forbid"),
		"superset":  native("any", "score", "all_or_nothing"),
		"subset":    native("any", "score", "precision"),
	}[cmp.Or(s.Match, "strict")]
	// What they call a subset, the call's arguments in the reference's, is our superset.
	arguments := map[string]string{"exact": "exact", "ignore": "ignore", "subset": "superset", "superset": "subset"}[cmp.Or(s.Arguments, "exact")]
	m.options, m.lenient = append(m.options, "arguments", arguments, "threshold", 1), s.Match == "superset"
	return m
}
