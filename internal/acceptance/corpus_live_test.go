package acceptance

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// endsEarly are recordings in which the agent's span ends before its calls begin, or before the spans that say that it is a part of a longer
// run. If the run is slow, they are later than run.wait.
var endsEarly = map[string]bool{
	"semantic-kernel-java@1.4.2/two_runs_one_trace": true,
	"google-adk-java@1.8.0/tool_error":              true,
	"quarkus-langchain4j@1.10.0/streaming":          true,
}

// In production, spans arrive when they end, and runs close while others are open. The verdicts are those of the dry run,
// even of slow agents.
func TestCorpusAsItHappens(t *testing.T) {
	durations := []time.Duration{0, 15 * time.Second}
	if testing.Short() {
		durations = durations[:1] // the longer one has 150 ticks
	}
	for _, library := range someLibraries(t) {
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				want := judgedBy(reportsOf(t, scenario.Requests))
				for _, lasting := range durations {
					if endsEarly[library.Name+"/"+scenario.Name] && lasting > 0 {
						continue
					}
					require.Equal(t, want, live(t, scenario.Requests, lasting), "a recording of %s", lasting)
				}
			})
		}
	}
}

// judgedBy returns a line for every verdict.
func judgedBy(reports []evaluate.Report) []string {
	var lines []string
	for _, r := range reports {
		if len(r.Run.Anchors) > 0 {
			called := []any{}
			for _, c := range r.Run.Calls {
				called = append(called, c.Name)
			}
			called = called[:min(len(called), 128)] // the names that an attribute has at most
			lines = append(lines, fmt.Sprint(r.Run.Anchors[0].ID, called, r.Results[0].Verdict.Score, r.Results[0].Reason))
		}
	}
	slices.Sort(lines)
	return lines
}

// live plays spans in the order of their ends, each in a batch of its own, spread over lasting. It returns lines like those
// of judgedBy, from the released spans.
func live(t *testing.T, requests []ptrace.Traces, lasting time.Duration) []string {
	batches := judgeShuffled(requests, 0)
	slices.SortStableFunc(batches, func(a, b ptrace.Traces) int { return cmp.Compare(endOf(a), endOf(b)) })
	first, last := endOf(batches[0]), endOf(batches[len(batches)-1])
	var lines []string
	synctest.Test(t, func(t *testing.T) {
		cfg := defaultConfig()
		cfg.Run.IdleTimeout = 20 * time.Second // longer than the recording, but not much, because every second has ten ticks
		cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "get_weather"}, {Name: "lookup_order"}}}}
		sink := new(consumertest.TracesSink)
		p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(t.Context(), processortest.NewNopSettings(toolcorrectnessprocessor.NewFactory().Type()), cfg, sink)
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		began := time.Now()
		for _, batch := range batches {
			if last > first {
				at := time.Duration(float64(lasting) * float64(endOf(batch)-first) / float64(last-first))
				time.Sleep(at - time.Since(began))
			}
			sent := ptrace.NewTraces()
			batch.CopyTo(sent)
			require.NoError(t, p.ConsumeTraces(t.Context(), sent))
		}
		time.Sleep(2*cfg.Run.IdleTimeout + 2*cfg.Run.Wait)
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
		lines = judgedIn(sink.AllTraces())
	})
	return lines
}

func endOf(td ptrace.Traces) pcommon.Timestamp {
	return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).EndTimestamp()
}

// judgedIn returns a line for every span with a verdict. Every batch was sent twice, so every span is there twice.
func judgedIn(all []ptrace.Traces) []string {
	var lines []string
	for span := range spansOf(all...) {
		if a := span.Attributes().AsRaw(); a["tool_correctness.score"] != nil {
			lines = append(lines, fmt.Sprint(span.SpanID(), a["tool_correctness.called"], a["tool_correctness.score"], a["tool_correctness.reason"]))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}
