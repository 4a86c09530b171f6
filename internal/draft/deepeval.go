package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// readDeepEval reads goldens of DeepEval: a JSON list, or JSON lines.
func readDeepEval(s *Set, text []byte) error {
	all, err := values(text)
	if err != nil {
		return fmt.Errorf("no goldens: %w", err)
	}
	for i, raw := range all {
		var golden object
		if err := json.Unmarshal(raw, &golden); err != nil {
			return fmt.Errorf("no goldens: %w", err)
		}
		if err := s.golden(golden); err != nil {
			return fmt.Errorf("golden %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) golden(g object) error {
	var tools []object
	if err := g.get("expected_tools", &tools); err != nil {
		return err
	}
	if _, has := g["scenario"]; has {
		s.note("golden of several turns (scenario)")
		return nil
	}
	if _, has := g["input"]; !has {
		return errors.New("it has no input")
	}
	if tools == nil {
		s.note("golden without expected_tools")
		return nil
	}
	s.rest("golden", g, "input", "name", "expected_tools", "source_file", "comments", "token_cost", "input_token_count", "output_token_count")
	x := Case{Key: cmp.Or(g.text("name"), g.text("input")), Tools: []Tool{}}
	for _, t := range tools {
		s.rest("expected tool", t, "name", "type", "input_parameters", "output", "description", "reasoning")
		tool, err := t.tool(t["input_parameters"])
		if err != nil {
			return err
		}
		tool.Output = t["output"]
		if kind := t.text("type"); kind != "" && kind != "FUNCTION" {
			s.note("type " + kind + " of an expected tool")
		}
		x.Tools = append(x.Tools, tool)
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// metricDeepEval is ToolCorrectnessMetric with its defaults. An output that was not captured is none, as it is in a test case of
// DeepEval that is built from the same spans.
func metricDeepEval(*Set) method {
	return method{name: "deepeval", options: []any{"uncaptured", "none"}}
}
