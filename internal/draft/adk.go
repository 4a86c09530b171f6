package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readADK reads an eval set of Google ADK. The invocations of a conversation are its turns. The first format of ADK is a list: of cases
// with a name and data, or the data of one case.
func readADK(s *Set, text []byte) error {
	var whole object
	var cases []object
	switch {
	case json.Unmarshal(text, &cases) == nil && len(cases) > 0 && cases[0]["query"] != nil:
		cases = []object{{"eval_id": json.RawMessage(`"conversation"`), "data": text}}
	case len(cases) > 0 && cases[0]["data"] != nil:
	case json.Unmarshal(text, &whole) != nil || whole["eval_cases"] == nil:
		return errors.New("no eval set: it has no eval_cases, and is no list of cases")
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
	x := Case{Key: cmp.Or(c.text("eval_id"), c.text("name"))}
	if x.Key == "" {
		return errors.New("it has no eval_id")
	}
	s.rest("eval case", c, "eval_id", "name", "conversation", "data", "creation_timestamp")
	var turns []object
	if err := errors.Join(c.get("conversation", &turns), c.get("data", &turns)); err != nil {
		return err
	}
	for i, turn := range turns {
		s.rest("invocation", turn, "invocation_id", "user_content", "intermediate_data", "creation_timestamp", "duration", "model_duration", "tool_duration", "app_details",
			"query", "expected_tool_use", "reference")
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

// toolsADK are the tool uses of an invocation: in a list, or in its events. In the first format the list and its keys have other names.
func (s *Set) toolsADK(turn object) ([]Tool, error) {
	var data object
	var calls, events, first []object
	if err := turn.get("intermediate_data", &data); err != nil {
		return nil, err
	}
	s.rest("intermediate data", data, "tool_uses", "invocation_events")
	if err := errors.Join(data.get("tool_uses", &calls), data.get("invocation_events", &events), turn.get("expected_tool_use", &first)); err != nil {
		return nil, err
	}
	for _, call := range first {
		s.rest("expected tool use", call, "tool_name", "tool_input")
		calls = append(calls, object{"name": call["tool_name"], "args": call["tool_input"]})
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

// ordersADK are our words for ADK's match types, which it also counts.
var ordersADK = map[string]string{"": "exact", "EXACT": "exact", "0": "exact", "IN_ORDER": "in_order", "1": "in_order", "ANY_ORDER": "any", "2": "any"}

// metricADK is ADK's tool_trajectory_avg_score, which is 1 or 0 for each invocation.
func metricADK(s *Set) method {
	arguments := "exact"
	if s.IgnoreArguments {
		arguments = "ignore"
	}
	m := native(ordersADK[s.Match], "arguments", arguments, "score", "all_or_nothing", "threshold", 1)
	m.lenient = ordersADK[s.Match] != "exact"
	return m
}

// Criteria takes the match type from ADK's test_config.json.
func (s *Set) Criteria(text []byte) error {
	var config struct{ Criteria object }
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("no ADK criteria: %w", err)
	}
	const trajectory = "tool_trajectory_avg_score"
	for name := range config.Criteria {
		if name != trajectory {
			s.note("criterion " + name)
		}
	}
	if config.Criteria[trajectory] == nil {
		return fmt.Errorf("no ADK criteria: criteria has no %s", trajectory)
	}
	var criterion object
	if json.Unmarshal(config.Criteria[trajectory], &criterion) != nil {
		return nil // a number is a threshold alone
	}
	s.Match = cmp.Or(criterion.text("match_type"), string(criterion["match_type"]))
	if ordersADK[s.Match] == "" {
		return fmt.Errorf("match_type must be EXACT, IN_ORDER or ANY_ORDER, is %q", s.Match)
	}
	return criterion.get("ignore_args", &s.IgnoreArguments)
}
