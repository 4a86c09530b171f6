package processor

import (
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// Conditions read the agent's name from one attribute. Only spans with a verdict keep it.
func TestOneAttributeNamesTheAgent(t *testing.T) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardFuncs[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	condition, err := parser.ParseCondition(`attributes["tool_correctness.agent"] == "desk"`)
	require.NoError(t, err)
	forDesk := func(s *Settings, _ *sink) { s.Expectations[0].When = condition }
	const key = "tool_correctness.agent"
	withFakeClock(t, forDesk, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(
			agent("a", "", 1, 9).with("gen_ai.agent.name", "desk"),
			span{id: "b", start: 1, end: 9, attributes: map[string]any{"ai.operationId": "ai.generateText", "ai.telemetry.functionId": "desk"}}.in(2),
			agent("c", "", 1, 9).with("gen_ai.agent.name", "other").in(3),
			agent("d", "", 1, 9).with("gen_ai.agent.name", "other").with(key, "of an earlier processor").in(4),
			agent("e", "", 1, 9).with(key, "desk").in(5),
		))
		r.after(15*time.Second, 5)
		require.Equal(t, "desk", r.verdict("a")[key])
		require.Equal(t, "desk", r.verdict("b")[key], "whatever the dialect")
		require.Equal(t, "0", r.verdict("b")["tool_correctness.expectation"])
		require.NotContains(t, r.verdict("c"), key, "no expectation is for it")
		require.NotContains(t, r.verdict("d"), key, "what another wrote there goes, too")
		require.NotContains(t, r.verdict("e"), key, "its name is not known, and that of no other span is taken")
	})
}

var _ evaluate.Condition = (*ottl.Condition[*ottlspan.TransformContext])(nil)
