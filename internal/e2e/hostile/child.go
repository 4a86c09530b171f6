package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
)

const (
	// warmup is how long the victim runs alone before an attack. It is longer than run.wait, because runs that were open at
	// the start are partial.
	warmup = wait + 500*time.Millisecond
	// aftermath is how long the victim continues after the last request of an attack: its runs close, and what it should harm
	// is harmed.
	aftermath = wait + 2*time.Second
	// patience bounds what is waited for after that.
	patience = 12 * time.Second
)

// A figure is what one attack did. Times are in nanoseconds in its JSON.
type figure struct {
	Attack   string
	Bytes    int // sent by the attacker
	Requests int
	Refused  int // requests of the attacker
	// P99 and Max are latencies of the victim's ConsumeTraces.
	P99, Max time.Duration
	// Busy is how many times as long as they ran threads waited for a core: what else the machine does.
	Busy float64
	// Delay is the longest from an agent's span of the victim to its verdict, beyond run.wait.
	Delay time.Duration
	// Live is the most memory that was alive, more than before the attack, and Heap with what was not collected yet.
	Live, Heap uint64
	Lost       int // spans of the victim
	Changed    int // verdicts of the victim that are wrong and do not say that they are incomplete
	Partial    int
	Unjudged   int
	Verdicts   int
	Aimless    bool // the attack aims at the work for a verdict, and no verdict says that this work was done
	Shutdown   time.Duration
	Fatal      string // why the attack could not be measured to its end
}

// run measures an attack in this process.
func (a attack) run(seed uint64) (f figure, err error) {
	p := newPlan(seed)
	a.plan(p)
	f = figure{Attack: a.name, Bytes: p.bytes, Requests: len(p.requests)}
	l := newLedger()
	l.aim = a.aim
	next, err := l.sink()
	if err != nil {
		return f, err
	}
	target, err := startProcessor(a.section(), next)
	if err != nil {
		return f, err
	}
	v := &victim{ledger: l, send: func(td ptrace.Traces) error { return target.ConsumeTraces(context.Background(), td) }}
	v.start()
	time.Sleep(warmup)
	l.begin()
	before := coresSoFar()
	memory := watchMemory()
	f.Refused = p.play(func(td ptrace.Traces) error { return target.ConsumeTraces(context.Background(), td) })
	time.Sleep(aftermath)
	v.stop.Store(true)
	f.settle(v)
	f.Busy = before.busySince()
	latencies, delays := l.measured()
	f.P99, f.Max = quantile(latencies, 0.99), max(quantile(latencies, 1), v.blocked())
	f.Delay = max(0, max(quantile(delays, 1), l.oldest())-wait)
	f.Live, f.Heap = memory.stop()
	f.end(target)
	f.Lost = l.lost()
	l.mu.Lock()
	defer l.mu.Unlock()
	f.Changed, f.Partial, f.Unjudged, f.Verdicts = l.changed, l.partial, l.unjudged, l.verdicts
	f.Aimless = a.aim != "" && !l.aimed
	return f, nil
}

// play sends the requests at their times, and returns how many were refused. A request is decoded as a receiver does.
func (p *plan) play(send func(ptrace.Traces) error) (refused int) {
	began := time.Now()
	for i, r := range p.requests {
		time.Sleep(time.Until(began.Add(r.at)))
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(r.body)
		p.requests[i].body = nil
		if err != nil || send(td) != nil {
			refused++
		}
	}
	return refused
}

// settle waits until the victim's calls have returned and its verdicts came, at most for the time of patience.
func (f *figure) settle(v *victim) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if v.blocked() == 0 && v.ledger.oldest() == 0 {
			return
		}
	}
	f.Fatal = "the victim's calls did not return, or its verdicts did not come"
}

// end shuts the processor down.
func (f *figure) end(target processor.Traces) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began := time.Now()
	if err := target.Shutdown(ctx); err != nil {
		f.Fatal = fmt.Sprintf("shutdown: %v", err)
	}
	f.Shutdown = time.Since(began)
}

// startProcessor makes the processor from its section as a collector does.
func startProcessor(section string, next consumer.Traces) (processor.Traces, error) {
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(section))
	if err != nil {
		return nil, err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return nil, err
	}
	factory := toolcorrectness.NewFactory()
	cfg := factory.CreateDefaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	p, err := factory.CreateTraces(context.Background(), processortest.NewNopSettings(factory.Type()), cfg, next)
	if err != nil {
		return nil, err
	}
	return p, p.Start(context.Background(), componenttest.NewNopHost())
}

// quantile is a value of a sorted list; of none it is 0.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// child is what a process of its own does for one attack: its figure is the only line that it prints.
func child(name string, seed uint64, stdout io.Writer) error {
	for _, a := range attacks() {
		if a.name == name {
			if err := limitMemory(); err != nil {
				return err
			}
			f, err := a.run(seed)
			if err != nil {
				return err
			}
			return json.NewEncoder(stdout).Encode(f)
		}
	}
	return fmt.Errorf("there is no attack %q", name)
}
