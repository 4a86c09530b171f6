package toolcorrectnessconnector

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"gopkg.in/yaml.v3"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// model is the event as the semantic conventions define it.
type model struct {
	Event      string               `yaml:"event"`
	Attributes map[string]attribute `yaml:"attributes"`
	Registry   map[string]attribute `yaml:"registry"`
}

type attribute struct {
	Type     string `yaml:"type"`
	Required string `yaml:"required"`
}

func readModel(t *testing.T) (m model) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "semconv.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, &m))
	require.NotEmpty(t, m.Attributes)
	return m
}

// faults are the rules of the conventions that a record breaks. Names of its own must stand in own.
func (m *model) faults(r plog.LogRecord) (found []string) {
	if r.EventName() != m.Event {
		found = append(found, "event name "+r.EventName())
	}
	for key, value := range r.Attributes().All() {
		a, known := m.Attributes[key]
		if !known {
			a, known = m.Registry[key]
		}
		switch {
		case known && typeOf(value) != a.Type:
			found = append(found, key+" is a "+typeOf(value)+", not a "+a.Type)
		case !known && !own[key]:
			found = append(found, key+" is not defined")
		}
	}
	for key, a := range m.Attributes {
		if _, there := r.Attributes().Get(key); !there && a.Required == "always" {
			found = append(found, key+" is missing")
		}
	}
	return append(found, m.conditions(r)...)
}

// own are the attributes that the conventions do not define.
var own = map[string]bool{
	"tool_correctness.expectation": true, "tool_correctness.complete": true, "tool_correctness.incomplete_because": true, "tool_correctness.config": true, azureEvent: true,
}

// conditions are the conditional requirements that a record breaks. A score and a label are applicable if there is a score,
// and an error has no score.
func (m *model) conditions(r plog.LogRecord) (found []string) {
	_, score := r.Attributes().Get(attributes.EvaluationScore)
	_, failed := r.Attributes().Get(attributes.ErrorType)
	label, _ := r.Attributes().Get(attributes.EvaluationLabel)
	switch l := label.AsString(); {
	case score != (l == "pass" || l == "fail"):
		found = append(found, "label "+l+" does not fit the score")
	case failed && l != "not_evaluated":
		found = append(found, "label "+l+" of an error")
	}
	return found
}

func typeOf(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return "string"
	case pcommon.ValueTypeDouble:
		return "double"
	case pcommon.ValueTypeBool:
		return "boolean"
	}
	return strings.ToLower(v.Type().String())
}

// every method, and expectations that lead to every status.
const manyMetrics = `
metrics:
  tool_correctness: {native: {}}
  deepeval: {deepeval: {evaluation_params: [input_parameters]}}
  galtea: {galtea: {}}
  axion: {axion: {}}
  evalsharp: {evalsharp: {}}
  eval_lib: {eval_lib: {}}
run: {idle_timeout: 5s}
expectations:
  - when: span.attributes["gen_ai.agent.name"] == "a"
    name: of-a
    tools: [{name: search, arguments: {q: x}}, lookup]
  - name: nothing
    tools: []
`

// Every record of random runs, judged by the processor, is an event as the conventions define it.
func TestRecordsFollowTheConventions(t *testing.T) {
	const runs = 1000
	m := readModel(t)
	conf, err := confmap.NewRetrievedFromYAML([]byte(manyMetrics))
	require.NoError(t, err)
	raw, err := conf.AsConf()
	require.NoError(t, err)
	judgedRuns, labels := 0, map[string]int{}
	synctest.Test(t, func(t *testing.T) {
		factory := toolcorrectness.NewFactory()
		cfg := factory.CreateDefaultConfig()
		require.NoError(t, raw.Unmarshal(cfg))
		logs := new(consumertest.LogsSink)
		c, err := NewFactory().CreateTracesToLogs(t.Context(), connectortest.NewNopSettings(NewFactory().Type()), &Config{Azure: true}, logs)
		require.NoError(t, err)
		p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, c)
		require.NoError(t, err)
		require.NoError(t, p.Start(t.Context(), componenttest.NewNopHost()))
		random := rand.New(rand.NewPCG(1, 1))
		for i := range runs {
			require.NoError(t, p.ConsumeTraces(t.Context(), randomRun(random, i)))
		}
		time.Sleep(time.Minute)
		require.NoError(t, p.Shutdown(t.Context()))
		for _, ld := range logs.AllLogs() {
			for _, rl := range ld.ResourceLogs().All() {
				for _, r := range rl.ScopeLogs().At(0).LogRecords().All() {
					judgedRuns++
					require.Empty(t, m.faults(r), "%v", r.Attributes().AsRaw())
					label, _ := r.Attributes().Get(attributes.EvaluationLabel)
					labels[label.Str()]++
				}
			}
		}
	})
	require.Equal(t, 6*runs, judgedRuns, "a record for each metric of each run")
	for _, label := range []string{"pass", "fail", "not_evaluated"} {
		require.NotZero(t, labels[label], "records with label %s: the test means little without", label)
	}
}

// randomRun is a run of an agent with up to four calls, in a trace of its own.
func randomRun(random *rand.Rand, i int) ptrace.Traces {
	td := ptrace.NewTraces()
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	id := pcommon.TraceID{1, byte(i >> 8), byte(i)}
	add := func(n byte, operation string, attributes map[string]any) {
		s := spans.AppendEmpty()
		s.SetTraceID(id)
		s.SetSpanID(pcommon.SpanID{n})
		if n > 1 {
			s.SetParentSpanID(pcommon.SpanID{1})
		}
		s.SetStartTimestamp(pcommon.Timestamp(1000 + int(n)))
		s.SetEndTimestamp(pcommon.Timestamp(2000 - int(n)))
		attributes["gen_ai.operation.name"] = operation
		_ = s.Attributes().FromRaw(attributes) // a map of texts
	}
	add(1, "invoke_agent", map[string]any{
		"gen_ai.agent.name": []string{"a", "b"}[random.IntN(2)], "gen_ai.conversation.id": "c", "gen_ai.response.id": "r",
	})
	for n := range random.IntN(5) {
		call := map[string]any{"gen_ai.tool.name": []string{"search", "lookup", "shell"}[random.IntN(3)]}
		if random.IntN(3) > 0 {
			call["gen_ai.tool.call.arguments"] = []string{`{"q":"x"}`, `{"q":"y"}`, `{`}[random.IntN(3)]
		}
		add(byte(2+n), "execute_tool", call)
	}
	return td
}
