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
	id := cmp.Or(c.text("eval_id"), c.text("name"))
	if id == "" {
		return errors.New("it has no eval_id")
	}
	s.rest("eval case", c, "eval_id", "name", "conversation", "data", "creation_timestamp")
	var turns []object
	if err := errors.Join(c.get("conversation", &turns), c.get("data", &turns)); err != nil {
		return err
	}
	if len(turns) == 0 {
		s.note("eval case without a conversation, which expects no tools")
		return nil
	}
	x := Case{Key: id}
	for i, turn := range turns {
		s.rest("invocation", turn, "invocation_id", "user_content", "intermediate_data", "creation_timestamp", "duration", "model_duration", "tool_duration", "app_details",
			"query", "expected_tool_use", "reference")
		calls, err := s.callsADK(turn)
		if err != nil {
			return fmt.Errorf("conversation[%d]: %w", i, err)
		}
		x.Tools = []Tool{}
		for _, call := range calls {
			tool := Tool{Name: call.text("name"), Arguments: call.first(noArguments, "args")}
			if tool.Name == "" {
				return fmt.Errorf("conversation[%d]: a tool use has no name", i)
			}
			x.Tools = append(x.Tools, tool)
		}
		x.Turns = append(x.Turns, Turn{x.Tools})
	}
	if len(turns) > 1 {
		x.Tools = nil
	} else {
		x.Turns = nil
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// callsADK are the tool uses of an invocation: in a list, or in its events. In the first format the list and its keys have other names.
func (s *Set) callsADK(turn object) ([]object, error) {
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
	return calls, nil
}

// ordersADK are our words for ADK's match types.
var ordersADK = map[string]string{"": "exact", "EXACT": "exact", "IN_ORDER": "in_order", "ANY_ORDER": "any"}

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
	var config struct{ Criteria map[string]json.RawMessage }
	if err := json.Unmarshal(text, &config); err != nil {
		return fmt.Errorf("no ADK criteria: %w", err)
	}
	const trajectory = "tool_trajectory_avg_score"
	for name, value := range config.Criteria {
		if name != trajectory {
			s.note("criterion " + name)
			continue
		}
		var criterion object
		if json.Unmarshal(value, &criterion) != nil { // a number is a threshold alone
			continue
		}
		if err := s.matchADK(criterion); err != nil {
			return err
		}
	}
	if _, has := config.Criteria[trajectory]; !has {
		return fmt.Errorf("no ADK criteria: criteria has no %s", trajectory)
	}
	return nil
}

func (s *Set) matchADK(criterion object) error {
	numbers := []string{"EXACT", "IN_ORDER", "ANY_ORDER"} // as ADK counts them
	var number int
	s.Match = criterion.text("match_type")
	if s.Match == "" && criterion["match_type"] != nil {
		if err := criterion.get("match_type", &number); err != nil || number < 0 || number >= len(numbers) {
			return errors.New("match_type must be EXACT, IN_ORDER or ANY_ORDER")
		}
		s.Match = numbers[number]
	}
	if ordersADK[s.Match] == "" {
		return fmt.Errorf("match_type must be EXACT, IN_ORDER or ANY_ORDER, is %q", s.Match)
	}
	return criterion.get("ignore_args", &s.IgnoreArguments)
}
