package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/groupbytraceprocessor"
	"github.com/open-telemetry/opentelemetry-collector-contrib/processor/tailsamplingprocessor"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
)

// A Contender is the processor between the receiver and the sink.
type Contender struct {
	Name    string
	factory processor.Factory // nil: nothing does
	// config is YAML, as a user writes it, except for WAIT.
	config  string
	judges  bool // every run must get its score
	storage bool // it has a file_storage
}

// The contenders.
var (
	Floor = Contender{Name: "nothing"}
	Ours  = Contender{
		Name: "tool_correctness", factory: toolcorrectness.NewFactory(), config: oursConfig(), judges: true,
	}
	// Stored is ours with file_storage behind it.
	Stored = Contender{
		Name: "tool_correctness-storage", factory: toolcorrectness.NewFactory(), config: oursConfig() + "storage: file_storage\n", judges: true,
		storage: true,
	}
	TailSampling = Contender{
		Name: "tail_sampling", factory: tailsamplingprocessor.NewFactory(),
		config: "decision_wait: WAIT\nnum_traces: 100000\npolicies: [{name: all, type: always_sample}]\n",
	}
	GroupByTrace = Contender{
		Name: "groupbytrace", factory: groupbytraceprocessor.NewFactory(),
		config: "wait_duration: WAIT\n",
	}
)

// Contenders are all of them; the first is what the others are measured against, and the second is ours.
func Contenders() []Contender {
	return []Contender{Floor, Ours, Stored, TailSampling, GroupByTrace}
}

func oursConfig() string {
	var b strings.Builder
	b.WriteString("run: {wait: WAIT}\nexpectations:\n")
	for _, agent := range []string{Desk, Research} {
		fmt.Fprintf(&b, "  - name: %s\n    when: attributes[\"gen_ai.agent.name\"] == %q\n    tools: [%s]\n",
			agent, agent, strings.Join(Tools(agent), ", "))
	}
	return b.String()
}

// target is what is fed: the processor, or the sink itself.
type target struct {
	consumer.Traces
	stop func() error
}

// start makes the processor from its configuration, as a collector does, and starts it.
func (c Contender) start(wait time.Duration, next consumer.Traces) (target, error) {
	if c.factory == nil {
		return target{next, func() error { return nil }}, nil
	}
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(strings.ReplaceAll(c.config, "WAIT", wait.String())))
	if err != nil {
		return target{}, err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return target{}, err
	}
	cfg := c.factory.CreateDefaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return target{}, err
	}
	ctx := context.Background()
	p, err := c.factory.CreateTraces(ctx, processortest.NewNopSettings(c.factory.Type()), cfg, next)
	if err != nil {
		return target{}, err
	}
	h, err := c.startHost(ctx)
	if err != nil {
		return target{}, err
	}
	stop := func() error { return errors.Join(p.Shutdown(ctx), h.stop()) }
	return target{p, stop}, p.Start(ctx, h)
}
