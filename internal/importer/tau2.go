package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// readTau2 reads tasks of tau2-bench. Only tasks whose reward_basis has ACTION ask for calls; the actions of others are one way of
// several.
func readTau2(s *Set, text []byte) error {
	var tasks []object
	if err := json.Unmarshal(text, &tasks); err != nil {
		return fmt.Errorf("no tasks: %w", err)
	}
	for i, task := range tasks {
		if err := s.taskTau2(task); err != nil {
			return fmt.Errorf("task %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) taskTau2(task object) error {
	id := task.text("id")
	if id == "" {
		return errors.New("it has no id")
	}
	var criteria object
	var basis []string
	var actions []object
	if err := task.get("evaluation_criteria", &criteria); err != nil {
		return err
	}
	if err := errors.Join(criteria.get("reward_basis", &basis), criteria.get("actions", &actions)); err != nil {
		return err
	}
	if !slices.Contains(basis, "ACTION") {
		s.note("task whose reward_basis has no ACTION")
		return nil
	}
	for _, b := range basis {
		if b != "ACTION" {
			s.note("reward_basis " + b)
		}
	}
	s.rest("task", task, "id", "description", "user_scenario", "ticket", "evaluation_criteria")
	s.rest("evaluation criteria", criteria, "actions", "reward_basis")
	x := Case{Key: id, Tools: []Tool{}}
	for _, a := range actions {
		tool, err := s.actionTau2(a)
		if err != nil {
			return err
		}
		same := func(t Tool) bool {
			return t.Name == tool.Name && string(t.Arguments) == string(tool.Arguments) && t.Match == tool.Match
		}
		if tool.Name != "" && !slices.ContainsFunc(x.Tools, same) { // one call is enough for equal actions
			x.Tools = append(x.Tools, tool)
		}
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// actionTau2 is an action of the agent. Without compare_args, all arguments of the call are compared; otherwise only these.
func (s *Set) actionTau2(a object) (Tool, error) {
	if who := a.text("requestor"); who != "" && who != "assistant" {
		s.note("action of the " + who)
		return Tool{}, nil
	}
	s.rest("action", a, "action_id", "requestor", "name", "arguments", "info", "compare_args")
	t := Tool{Name: a.text("name"), Arguments: a["arguments"]}
	if t.Name == "" {
		return t, errors.New("an action has no name")
	}
	var compare []string
	if err := a.get("compare_args", &compare); err != nil || compare == nil {
		return t, err
	}
	var all, some map[string]json.RawMessage
	if err := a.get("arguments", &all); err != nil {
		return t, err
	}
	for _, key := range compare {
		if value, has := all[key]; has {
			if some == nil {
				some = map[string]json.RawMessage{}
			}
			some[key] = value
		}
	}
	t.Arguments = nil
	if some == nil {
		return t, nil
	}
	text, err := json.Marshal(some)
	t.Arguments, t.Match = text, "subset"
	return t, err
}

// metricTau2 is the reward for actions: 1 if all are among the calls.
func metricTau2(*Set) (string, [][2]string) {
	return "native", [][2]string{{"order", "any"}, {"arguments", "superset"}, {"score", "all_or_nothing"}, {"threshold", "1"}}
}
