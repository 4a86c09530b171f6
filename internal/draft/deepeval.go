package draft

import (
	"errors"
	"fmt"
)

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
		tool, err := toolOf(t, nil, "input_parameters")
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
