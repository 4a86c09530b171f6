package evaluate

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// asker compiles conditions, each once.
func asker(tb testing.TB) func(text string) Condition {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	compiled := map[string]*ottl.Condition[*ottlspan.TransformContext]{}
	return func(text string) Condition {
		if compiled[text] == nil {
			if compiled[text], err = parser.ParseCondition(text); err != nil {
				panic(err)
			}
		}
		return compiled[text]
	}
}

// counted is a condition that counts how often it is asked.
type counted struct {
	Condition
	asked *int
}

func (c counted) Eval(ctx context.Context, tctx *ottlspan.TransformContext) (bool, error) {
	*c.asked++
	return c.Condition.Eval(ctx, tctx)
}

// one is a list of one metric.
var one = metricsNamed("m")

// agents are expectations for an agent each.
func agents(ask func(string) Condition, n int) []Expectation {
	all := make([]Expectation, n)
	for i := range all {
		agent := "agent-" + strconv.Itoa(i)
		all[i] = Expectation{Name: agent, Metrics: one, When: ask(fmt.Sprintf(`attributes["gen_ai.agent.name"] == %q`, agent))}
	}
	return all
}

// anchorOf is a span of an agent with as many attributes as such spans have.
func anchorOf(agent string) *conditions.Place {
	a := (&dice{}).anchor()
	for i := range 10 {
		a.Span.Attributes().PutInt("gen_ai.attribute."+strconv.Itoa(i), int64(i))
	}
	a.Span.Attributes().PutStr("gen_ai.agent.name", agent)
	return a
}

// BenchmarkChoice: what does it cost to find the expectation of a run, each run of the next agent, one expectation an agent.
func BenchmarkChoice(b *testing.B) {
	ask := asker(b)
	for _, n := range []int{1, 10, 100, 1000} {
		all := agents(ask, n)
		anchors := make([]*conditions.Place, n)
		for i := range anchors {
			anchors[i] = anchorOf(all[i].Name)
		}
		e := evaluatorOf(one, all)
		var v Evaluation
		b.Run(fmt.Sprintf("expectations=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i = (i + 1) % n {
				if e.choose(b.Context(), &v, anchors[i]); v.matches[0].Expectation != &all[i] {
					b.Fatal("the expectation of another agent")
				}
			}
		})
	}
}
