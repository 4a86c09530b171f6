package processor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// A run whose condition would read a text that is too long is not evaluable, and its reason says so. A long text that no function reads
// does not matter.
func TestAConditionReadsNoTextThatIsTooLong(t *testing.T) {
	long := strings.Repeat("a", conditions.MaxBytes+1)
	core, logs := observer.New(zapcore.WarnLevel)
	r := strict(t, func(s *Settings) {
		s.Expectations[0].Text = `IsMatch(attributes["tenant"], "a")`
		s.Expectations[0].When = conditionOf(t, componenttest.NewNopTelemetrySettings(), s.Expectations[0].Text)
		s.Metrics[0].Reason = true
		s.Expectations[0].Metrics = s.Metrics
	})
	r.logger = zap.New(core)
	r.pass(traces(
		agent("long", "", 1, 9).with("tenant", long),
		agent("other", "", 1, 9).with("tenant", "a").with("input.value", long).in(2),
	))
	require.Equal(t, "not_evaluable", r.verdict("long")["m.status"])
	require.Contains(t, r.verdict("long")["m.reason"], "a function reads at most 64 KiB of a value")
	require.NotEqual(t, "not_evaluable", r.verdict("other")["m.status"])
	require.Zero(t, logs.Len())
}
