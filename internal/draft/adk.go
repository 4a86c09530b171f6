package draft

import (
	"cmp"
	"errors"
	"fmt"
)

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
		if call := get(part, "function_call"); call != nil {
			calls = append(calls, call)
		}
	}
	tools := []Tool{}
	for _, call := range calls {
		tool, err := toolOf(call, map[string]any{}, "args")
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
