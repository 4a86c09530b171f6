package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenLLMetry for Agno writes as a tool's output what Python shows of Agno's record of the execution: the status, the result, the
// error, and more. It leaves out the arguments of a call that has none.
//
// Source: https://github.com/traceloop/openllmetry, packages/opentelemetry-instrumentation-agno; https://github.com/agno-agi/agno,
// libs/agno/agno/tools/function.py.
const (
	agnoStatus  = "status='"
	agnoFailure = "status='failure' "
)

// agnoResult takes the status from the beginning of the record, which Agno writes. The result follows, and decides nothing.
func (s *source) agnoResult(r Reading) Reading {
	text := s.marker(traceloopOutput)
	if !strings.HasPrefix(text, agnoStatus) {
		return r
	}
	if strings.HasPrefix(text, agnoFailure) {
		r.Call.Status = scoring.StatusFailed
	}
	if r.Call.Arguments == (scoring.Payload{}) {
		r.Call.Arguments = scoring.JSON("{}")
	}
	return r
}
