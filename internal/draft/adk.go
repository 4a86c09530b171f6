package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readADK reads an eval set of Google ADK. The invocations of a conversation are its turns.
func readADK(s *Set, text []byte) error {
	var whole object
	var cases []object
	if json.Unmarshal(text, &whole) != nil || whole["eval_cases"] == nil {
		return errors.New("no eval set: it has no eval_cases")
	}
	if err := whole.get("eval_cases", &cases); err != nil {
		return err
	}
	s.rest("eval set", whole, "eval_cases", "eval_set_id", "name", "description", "creation_timestamp")
	for _, c := range cases {
		if err := s.caseADK(c); err != nil {
			return fmt.Errorf("eval case %q: %w", c.text("eval_id"), err)
		}
	}
	return nil
}

func (s *Set) caseADK(c object) error {
	x := Case{Key: c.text("eval_id")}
	if x.Key == "" {
		return errors.New("it has no eval_id")
	}
	s.rest("eval case", c, "eval_id", "conversation", "creation_timestamp")
	var turns []object
	if err := c.get("conversation", &turns); err != nil {
		return err
	}
	for i, turn := range turns {
		s.rest("invocation", turn, "invocation_id", "user_content", "intermediate_data", "creation_timestamp", "duration", "model_duration", "tool_duration", "app_details")
		tools, err := s.toolsADK(turn)
		if err != nil {
			return fmt.Errorf("conversation[%d]: %w", i, err)
		}
		x.Turns = append(x.Turns, Turn{tools})
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
func (s *Set) toolsADK(turn object) ([]Tool, error) {
	var data object
	var calls, events []object
	if err := turn.get("intermediate_data", &data); err != nil {
		return nil, err
	}
	s.rest("intermediate data", data, "tool_uses", "invocation_events")
	if err := errors.Join(data.get("tool_uses", &calls), data.get("invocation_events", &events)); err != nil {
		return nil, err
	}
	for _, event := range events {
		var content struct{ Parts []object }
		if err := event.get("content", &content); err != nil {
			return nil, err
		}
		for _, part := range content.Parts {
			var call object
			if err := part.get("function_call", &call); err != nil {
				return nil, err
			}
			if call != nil {
				calls = append(calls, call)
			}
			s.rest("part of an event", part, "function_call", "thought_signature")
		}
	}
	tools := []Tool{}
	for _, call := range calls {
		tool, err := call.tool(call.first(noArguments, "args"))
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// metricADK is ADK's tool_trajectory_avg_score, which is 1 or 0 for each invocation.
func metricADK(s *Set) method {
	order := map[string]string{"": "exact", "EXACT": "exact", "IN_ORDER": "in_order", "ANY_ORDER": "any"}[s.Match]
	m := native(order, "arguments", cmp.Or(s.Arguments, "exact"), "score", "all_or_nothing", "threshold", 1)
	m.lenient = order != "exact"
	return m
}
