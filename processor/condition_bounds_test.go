package processor

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// remembering counts the results that a condition has remembered.
type remembering struct {
	evaluate.Condition
	asked, remembered int
}

func (r *remembering) Eval(ctx context.Context, s *ottlspan.TransformContext) (bool, error) {
	holds, err := r.Condition.Eval(ctx, s)
	r.asked++
	r.remembered = ottlfunctions.Remembered(ctx)
	return holds, err
}

// Without bounds, a regular expression on one long attribute of a resource ran for each of its runs, and delayed all verdicts
// by 40 s. Now it runs once for all runs that close together.
func TestALongTextIsReadOnceForAllRunsOfAResource(t *testing.T) {
	const runs = 200
	when := &remembering{Condition: conditionOf(t, componenttest.NewNopTelemetrySettings(), `IsMatch(resource.attributes["host.name"], "(prod|live)-[a-z]+-eu")`)}
	r := strict(t, func(s *Settings) { s.Expectations[0].When = when })
	var spans []span
	for i := range runs {
		spans = append(spans, agent("a"+strconv.Itoa(i), "", 1, 9).in(byte(i)))
	}
	td := traces(spans...)
	td.ResourceSpans().At(0).Resource().Attributes().PutStr("host.name", strings.Repeat("a", ottlfunctions.MaxText-7)+"prod-eu")
	r.pass(td)
	require.Equal(t, runs, when.asked)
	require.Equal(t, 1, when.remembered, "one answer serves all")
}

// A condition fails on a text that is too long, and its error says so. A long text that it does not read does not matter.
func TestAConditionFailsOnATextThatIsTooLong(t *testing.T) {
	long := strings.Repeat("a", ottlfunctions.MaxText+1)
	core, logs := observer.New(zapcore.WarnLevel)
	telemetry := componenttest.NewNopTelemetrySettings()
	r := strict(t, func(s *Settings) {
		s.Expectations[0].When = conditionOf(t, telemetry, `IsMatch(attributes["tenant"], "a")`)
		s.Expectations[0].Text = `IsMatch(attributes["tenant"], "a")`
	})
	r.logger = zap.New(core)
	r.pass(traces(
		agent("long", "", 1, 9).with("tenant", long),
		agent("other", "", 1, 9).with("tenant", "a").with("input.value", long).in(2),
	))
	require.NotContains(t, r.verdict("long"), "m.status", "it counts as false")
	require.Contains(t, r.verdict("other"), "m.status")
	require.Equal(t, 1, logs.Len())
	require.Equal(t, ottlfunctions.ErrText.Error(), logs.All()[0].ContextMap()["error_without_values"])
}
