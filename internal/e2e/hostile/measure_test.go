//go:build hostile

package hostile

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

var seed = flag.Uint64("seed", 1, "of the attacks")

// playing names, in the environment, the attack that this process plays in place of the tests.
const playing = "HOSTILE_ATTACK"

// TestMain plays an attack in a process of its own: its figure is the only line that it prints.
func TestMain(m *testing.M) {
	flag.Parse()
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == os.Getenv(playing) })
	if i < 0 {
		os.Exit(m.Run())
	}
	err := limitMemory()
	if err == nil {
		var f figure
		f, err = attacks[i].measure()
		err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(f))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	// childBound is how long one attack may take.
	childBound = 45 * time.Second
	// tries is how often an attack is measured that breaks a bound by little.
	tries = 3
)

// No attack breaks a bound. In short mode, the attacks that did most harm are played.
func TestAttacks(t *testing.T) {
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "attack\tsent kB\tp99\tmax\tlate\talive MiB\tlost\tchanged\tpartial\tshutdown\tbusy\tbounds")
	for _, a := range attacks {
		if testing.Short() && !a.short {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			f := a.best(t)
			bounds := "kept"
			for _, broken := range f.broken() {
				bounds = "BROKEN"
				t.Errorf("%s: %s", a.does, broken)
			}
			fmt.Fprintf(tw, "%s\t%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%.1f\t%s\n", a.name, f.Bytes/1000, ms(f.P99), ms(f.Max), ms(f.Delay), f.Live>>20,
				f.Lost, f.Changed, f.Partial, ms(f.Shutdown), f.Busy, bounds)
		})
	}
	require.NoError(t, tw.Flush())
	t.Logf("\n%s", table.String())
}

// best plays an attack, again if a bound is broken by little: the machine may have been busy. The best try counts.
func (a attack) best(t *testing.T) (best figure) {
	t.Helper()
	for try := range tries {
		f := a.inChild(t)
		if try == 0 || len(f.broken()) < len(best.broken()) {
			best = f
		}
		if len(f.broken()) == 0 || f.hopeless() {
			break
		}
	}
	return best
}

// inChild plays an attack in a process of its own.
func (a attack) inChild(t *testing.T) (f figure) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), childBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-seed="+strconv.FormatUint(*seed, 10))
	cmd.Env = append(os.Environ(), playing+"="+a.name)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		f.Fatal = fmt.Sprintf("it was not over after %s", childBound)
	case errors.As(err, &ended) && ended.ExitCode() == outOfMemory:
		f.Fatal = fmt.Sprintf("more than %d MiB were alive, or %d in all", mostLive>>20, mostHeap>>20)
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n") // where Go says why
		f.Fatal = fmt.Sprintf("the process ended: %v: %s", err, line)
	default:
		require.NoError(t, json.Unmarshal(out, &f))
		return f
	}
	f.Bytes = a.planned().bytes // the child could not say what it sent
	return f
}

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
	Bytes int // sent by the attacker
	// P99 and Max are latencies of the victim's ConsumeTraces.
	P99, Max time.Duration
	// Busy is how many times as long as they ran threads waited for a core: what else the machine does.
	Busy float64
	// Delay is the longest from an agent's span of the victim to its verdict, beyond run.wait.
	Delay time.Duration
	// Live is the most memory that was alive, more than before the attack, and Heap with what was not collected yet.
	Live, Heap uint64
	Lost       int // spans of the victim
	outcomes
	Aimless  bool // the attack aims at the work for a verdict, and no verdict says that this work was done
	Shutdown time.Duration
	Fatal    string // why the attack could not be measured to its end
}

// measure measures an attack in this process.
func (a attack) measure() (f figure, err error) {
	p := a.planned()
	f.Bytes = p.bytes
	v := newVictim(a.aim)
	next, err := consumer.NewTraces(v.receive)
	if err != nil {
		return f, err
	}
	target, err := makeProcessor(a.section(), next, zap.NewNop())
	if err != nil {
		return f, err
	}
	if err := target.Start(context.Background(), componenttest.NewNopHost()); err != nil {
		return f, err
	}
	send := func(td ptrace.Traces) error { return target.ConsumeTraces(context.Background(), td) }
	v.start(send)
	time.Sleep(warmup)
	v.begin()
	before, memory := coresSoFar(), watchMemory()
	p.play(send)
	time.Sleep(aftermath)
	v.stop.Store(true)
	if !v.settled() {
		f.Fatal = "the victim's calls did not return, or its verdicts did not come"
	}
	f.Busy = before.busySince()
	latencies, delays := v.measured()
	f.P99, f.Max = quantile(latencies, 0.99), max(quantile(latencies, 1), v.blocked())
	f.Delay = max(0, max(quantile(delays, 1), v.oldest())-wait)
	f.Live, f.Heap = memory.stop()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	began := time.Now()
	if err := target.Shutdown(ctx); err != nil {
		f.Fatal = fmt.Sprintf("shutdown: %v", err)
	}
	f.Shutdown = time.Since(began)
	v.mu.Lock()
	defer v.mu.Unlock()
	f.Lost, f.outcomes, f.Aimless = v.lost(), v.outcomes, a.aim != "" && !v.aimed
	return f, nil
}

// play sends the requests at their times. A request is decoded as a receiver does, and may be refused.
func (p *plan) play(send func(ptrace.Traces) error) {
	began := time.Now()
	for i, r := range p.requests {
		time.Sleep(time.Until(began.Add(r.at)))
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(r.body)
		p.requests[i].body = nil
		if err == nil {
			_ = send(td)
		}
	}
}

// makeProcessor makes the processor from its section as a collector does.
func makeProcessor(section string, next consumer.Traces, logger *zap.Logger) (*processor.Processor, error) {
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
	set := processortest.NewNopSettings(factory.Type())
	set.Logger = logger
	made, err := factory.CreateTraces(context.Background(), set, cfg, next)
	if err != nil {
		return nil, err
	}
	return made.(*processor.Processor), nil
}

// quantile is a value of a sorted list; of none it is 0.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
