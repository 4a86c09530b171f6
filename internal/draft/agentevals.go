package draft

import (
	"cmp"
	"fmt"
)

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
			tool, err := toolOf(cmp.Or(get(call, "function"), call), map[string]any{}, "args", "arguments")
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
