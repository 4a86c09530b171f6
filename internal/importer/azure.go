package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readAzure reads JSON lines for Azure's TaskNavigationEfficiencyEvaluator. expected_actions (or ground_truth) is a list of
// tool names, or a list of two: such a list and a map from names to parameters. Either may be written as text.
func readAzure(s *Set, text []byte) error {
	rows, err := values(text)
	if err != nil {
		return err
	}
	for i, raw := range rows {
		if err := s.rowAzure(i, raw); err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) rowAzure(i int, raw json.RawMessage) error {
	var row object
	if err := json.Unmarshal(raw, &row); err != nil {
		return err
	}
	s.rest("row", row, "id", "name", "query", "expected_actions", "ground_truth", "actions", "response", "tool_definitions")
	expected := row["expected_actions"]
	if expected == nil {
		expected = row["ground_truth"]
	}
	if expected == nil {
		return errors.New("it has no expected_actions and no ground_truth")
	}
	if text := (object{"": expected}).text(""); text != "" {
		expected = json.RawMessage(text)
	}
	x := Case{Key: cmp.Or(row.text("id"), row.text("name"), row.text("query"), fmt.Sprintf("row/%d", i+1)), Tools: []Tool{}}
	names, parameters, err := actionsAzure(expected)
	if err != nil {
		return err
	}
	for _, name := range names {
		tool := Tool{Name: name}
		if parameters != nil { // a tool without parameters is called with none
			tool.Arguments, tool.Match = json.RawMessage("{}"), "exact"
			if p, has := parameters[name]; has {
				tool.Arguments = p
			}
		}
		x.Tools = append(x.Tools, tool)
	}
	if parameters != nil {
		s.note("comparing of parameters as texts: here 1 is not \"1\"")
	}
	s.Cases = append(s.Cases, x)
	return nil
}

func actionsAzure(expected json.RawMessage) (names []string, parameters map[string]json.RawMessage, err error) {
	if json.Unmarshal(expected, &names) == nil {
		return names, nil, nil
	}
	var pair []json.RawMessage
	if json.Unmarshal(expected, &pair) == nil && len(pair) == 2 && bytes.HasPrefix(bytes.TrimSpace(pair[1]), []byte("{")) {
		if json.Unmarshal(pair[0], &names) == nil && json.Unmarshal(pair[1], &parameters) == nil {
			return names, parameters, nil
		}
	}
	return nil, nil, errors.New("expected_actions must be a list of names, or a list of such a list and a map of parameters")
}

// metricAzure is the evaluator's result, true or false, by its matching_mode.
func metricAzure(s *Set) (string, [][2]string) {
	order := map[string]string{"exact_match": "exact", "in_order_match": "in_order", "any_order_match": "any"}[cmp.Or(s.Match, "exact_match")]
	return "native", append(ordered(order), [2]string{"score", "all_or_nothing"}, [2]string{"threshold", "1"})
}
