package rig

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
	"go.opentelemetry.io/otel/sdk/metric"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// A Contender is the processor between the receiver and the sink.
type Contender struct {
	Name    string
	factory processor.Factory // nil: nothing does
	// config is YAML, as a user writes it, except for WAIT.
	config string
	judges bool // every run must get its score
	walks  bool // it has no factory, and walks over the spans

	storage *fileStorage // nil: it has none
	metered bool         // metrics are counted, as a collector counts them
	records bool         // the connector makes log records of the verdicts
}

// The contenders.
var (
	Floor = Contender{Name: "unmarshal + sink"}
	Ours  = Contender{
		Name: "+ tool_correctness", factory: toolcorrectness.NewFactory(), config: oursConfig(), judges: true,
	}
	TailSampling = Contender{
		Name: "+ tail_sampling, always_sample", factory: tailsamplingprocessor.NewFactory(),
		config: "decision_wait: WAIT\nnum_traces: 100000\npolicies: [{name: all, type: always_sample}]\n",
	}
	GroupByTrace = Contender{
		Name: "+ groupbytrace", factory: groupbytraceprocessor.NewFactory(),
		config: "wait_duration: WAIT\n",
	}
	// GroupByService releases the spans that a trace has in each service together, and not the trace.
	GroupByService = Contender{
		Name: "+ groupbytrace, emit_strategy service", factory: groupbytraceprocessor.NewFactory(),
		config: "wait_duration: WAIT\nemit_strategy: service\n",
	}
)

// Contenders are all of them; the first is what the others are measured against, and the second is ours.
func Contenders() []Contender {
	return []Contender{Floor, Ours, TailSampling, GroupByTrace, GroupByService, Walk}
}

func oursConfig() string {
	var b strings.Builder
	b.WriteString("run: {wait: WAIT}\nexpectations:\n")
	for _, agent := range []string{workload.Desk, workload.Research} {
		fmt.Fprintf(&b, "  - name: %s\n    when: attributes[\"gen_ai.agent.name\"] == %q\n    tools: [%s]\n",
			agent, agent, strings.Join(workload.Tools(agent), ", "))
	}
	return b.String()
}

// With returns the contender with another configuration.
func (c Contender) With(yaml string) Contender {
	c.config = yaml
	return c
}

// Also returns the contender with more of a configuration.
func (c Contender) Also(yaml string) Contender { return c.With(c.config + yaml) }

// Metered returns the contender with OpenTelemetry's SDK behind its metrics. The others count nothing.
func (c Contender) Metered() Contender {
	c.metered = true
	return c
}

// Recorded returns the contender with the connector behind it, which makes log records of verdicts.
func (c Contender) Recorded() Contender {
	c.records = true
	return c
}

// Named returns the contender with another name.
func (c Contender) Named(name string) Contender {
	c.Name = name
	return c
}

// Config is the contender's configuration with the wait in place.
func (c Contender) Config(wait time.Duration) string {
	return strings.ReplaceAll(c.config, "WAIT", wait.String())
}

// target is what is fed: the processor, or the sink itself.
type target struct {
	consumer.Traces
	stop func() error
}

// start makes the processor from its configuration, as a collector does, and starts it.
func (c Contender) start(wait time.Duration, next consumer.Traces) (target, error) {
	if c.walks {
		next = walker{next}
	}
	if c.factory == nil {
		return target{next, func() error { return nil }}, nil
	}
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(c.Config(wait)))
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
	if c.records {
		if next, err = withConnector(ctx, next); err != nil {
			return target{}, err
		}
	}
	settings := processortest.NewNopSettings(c.factory.Type())
	if c.metered {
		settings.MeterProvider = metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))
	}
	p, err := c.factory.CreateTraces(ctx, settings, cfg, next)
	if err != nil {
		return target{}, err
	}
	h, err := c.storage.start(ctx)
	if err != nil {
		return target{}, err
	}
	stop := func() error { return errors.Join(p.Shutdown(ctx), h.stop()) }
	return target{p, stop}, p.Start(ctx, h)
}
