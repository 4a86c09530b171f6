//go:build chaos

package e2e

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	binary = flag.String("collector", "../../dist/otelcol-tool-correctness", "the collector")
	seed   = flag.Uint64("seed", 1, "of the load and of the moments of faults")
)

func TestChaosCollector(t *testing.T) { perform(t, scenarios(testing.Short())) }

func TestChaosFleet(t *testing.T) { perform(t, fleetScenarios(testing.Short())) }

// perform plays cases, and ends with a table.
func perform(t *testing.T, cases []scenario) {
	t.Helper()
	require.FileExists(t, *binary, "make build builds it")
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, columns)
	for _, s := range cases {
		t.Run(s.name, func(t *testing.T) { s.perform(t, tw) })
	}
	require.NoError(t, tw.Flush())
	t.Logf("\n%s%s", table.String(), legend)
}

const (
	startBound = 60 * time.Second // from the start of a process to an open port: several may start at once
	stopBound  = 40 * time.Second // from SIGTERM to the end of a process: the processor tries for 30 s
	// slack is what a held anchor takes longer than its wait: ticks, and the way to the sink on a busy machine.
	slack = 2 * time.Second
)

// A stage is one case while it is played.
type stage struct {
	scenario
	t       *testing.T
	ctx     context.Context // ends with the case's bound
	rng     *rand.Rand
	sink    *sink
	ledger  *ledger
	scorers []*stagedCollector
	front   *stagedCollector // spreads the spans over several scorers; nil: there is one, and it has the senders
	senders *senders
	giveUp  context.CancelFunc // ends the senders

	faults []fault
	held   int // how many acknowledged spans were held when the last fault came
}

// perform plays the case, ends all that it started, and writes a row.
func (s scenario) perform(t *testing.T, table io.Writer) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), s.bound)
	defer cancel()
	sending, giveUp := context.WithCancel(ctx)
	st := &stage{
		scenario: s, t: t, ctx: ctx, rng: rand.New(rand.NewPCG(*seed, 0)), sink: startSink(t), giveUp: giveUp,
		ledger: &ledger{sent: sent{acked: map[spanID]time.Time{}}},
	}
	defer func() { // also where the play failed
		st.end()
		st.report(table, time.Since(began))
	}()
	st.add(s.fileKiB)
	to := st.scorers[0]
	if s.fleet {
		st.add(0)
		st.add(0)
		st.front = st.collector("front")
		st.spread()
		st.start(st.front, 0)
		to = st.front
	}
	st.senders = startSenders(sending, t, s.load, st.ledger, to.endpoint)
	s.play(st)
	st.finish()
}

// finish ends the load, waits until all has arrived, and stops the collectors that still run.
func (st *stage) finish() {
	timer := time.AfterFunc(st.grace, st.giveUp)
	st.senders.stop()
	timer.Stop()
	st.drain()
	for _, c := range st.collectors() {
		if c.process != nil {
			st.terminate(c)
		}
	}
}

// drain returns when all that was acknowledged has arrived, or when nothing arrives any more.
func (st *stage) drain() {
	for before, last := -1, time.Now(); st.ctx.Err() == nil; sleep(st.ctx, 50*time.Millisecond) {
		n := st.missing()
		if n != before {
			before, last = n, time.Now()
		}
		if idle := time.Since(last); n == 0 && idle >= st.settles || idle > st.quiet {
			return
		}
	}
}

// end leaves nothing running.
func (st *stage) end() {
	st.giveUp()
	if st.senders != nil {
		st.senders.done.Wait()
	}
	for _, c := range st.collectors() {
		st.kill(c)
		assert.NoError(st.t, c.log.Close())
	}
}

// report compares what happened with the promise. If that is broken, the logs stay.
func (st *stage) report(table io.Writer, took time.Duration) {
	var r tally
	st.look(func(s *sent, a *arrivals) { r = count(s, a, st.faults, st.settings.wait+slack) })
	r.held = st.held
	if broken := r.breaks(st.promise); len(broken) > 0 {
		st.t.Error(strings.Join(append(broken, r.examples...), "\n"))
	}
	logs := map[string][]byte{}
	for _, c := range st.collectors() {
		text, err := os.ReadFile(c.log.Name())
		require.NoError(st.t, err)
		assert.Empty(st.t, panics(text), c.dir)
		logs[filepath.Base(c.dir)] = text
	}
	if st.t.Failed() {
		st.t.Log("must keep:", st.promise.reason)
		for name, text := range logs {
			path := filepath.Join(os.TempDir(), "chaos-"+st.name+"-"+name+".log")
			st.t.Log("a log is", path, os.WriteFile(path, text, 0o600))
		}
	}
	fmt.Fprint(table, r.row(st.name, took, !st.t.Failed()))
}

// look calls f with what senders and sink know, which does not change meanwhile.
func (st *stage) look(f func(*sent, *arrivals)) {
	st.ledger.mu.Lock()
	defer st.ledger.mu.Unlock()
	st.sink.mu.Lock()
	defer st.sink.mu.Unlock()
	f(&st.ledger.sent, &st.sink.arrivals)
}

// missing is how many acknowledged spans have not arrived.
func (st *stage) missing() (n int) {
	st.look(func(s *sent, a *arrivals) {
		if n = len(s.acked) - len(a.times); n > 0 {
			return // it is at least that, and cheap to count
		}
		n = 0
		for id := range s.acked {
			if a.times[id] == 0 {
				n++
			}
		}
	})
	return n
}

// holding is how many acknowledged spans that the processor may hold have not arrived.
func (st *stage) holding() (n int) {
	st.look(func(s *sent, a *arrivals) {
		for id := range s.heldable() {
			if _, acked := s.acked[id]; acked && a.times[id] == 0 {
				n++
			}
		}
	})
	return n
}

// pause lets the load continue for some time.
func (st *stage) pause(d time.Duration) {
	sleep(st.ctx, d)
	require.NoError(st.t, st.ctx.Err(), "the case must end in %s", st.bound)
}

// during notes a fault while do runs.
func (st *stage) during(do func()) {
	from := time.Now()
	do()
	st.faults = append(st.faults, fault{from, time.Now()})
}

// A stagedCollector is a process under test. It can be killed and started again with the same folder and port.
type stagedCollector struct {
	dir      string
	endpoint string // where its receiver listens
	log      *os.File
	process  *process // nil: none runs
	out      bool     // the front does not know it, or not any more
}

func (c *stagedCollector) config() string { return filepath.Join(c.dir, "collector.yaml") }

// collectors are the front and the scorers.
func (st *stage) collectors() []*stagedCollector {
	if st.front == nil {
		return st.scorers
	}
	return append([]*stagedCollector{st.front}, st.scorers...)
}

// collector is one in a folder of its own, which is not started.
func (st *stage) collector(name string) *stagedCollector {
	dir := filepath.Join(st.t.TempDir(), name)
	require.NoError(st.t, os.Mkdir(dir, 0o700))
	endpoints, err := freeEndpoints(st.ctx, 1)
	require.NoError(st.t, err)
	log, err := os.Create(filepath.Join(dir, "collector.log"))
	require.NoError(st.t, err)
	return &stagedCollector{dir: dir, endpoint: endpoints[0], log: log}
}

// add starts a further scorer. A front learns of it when it spreads again.
func (st *stage) add(fileKiB int) {
	c := st.collector(fmt.Sprintf("scorer-%d", len(st.scorers)))
	st.scorers = append(st.scorers, c)
	st.configure(c, st.settings)
	st.start(c, fileKiB)
}

func (st *stage) configure(c *stagedCollector, s settings) {
	replaceFile(st.t, c.config(), s.scorer(c.dir, c.endpoint, st.sink.endpoint))
}

// spread configures the front for the scorers that it shall know.
func (st *stage) spread() {
	var known []string
	for _, c := range st.scorers {
		if !c.out {
			known = append(known, c.endpoint)
		}
	}
	replaceFile(st.t, st.front.config(), front(st.front.endpoint, known))
}

// start returns when the receiver's port is open. fileKiB limits how large files may become that the process writes; 0
// is no limit. Writing beyond fails with EFBIG, as on a full disk with ENOSPC.
func (st *stage) start(c *stagedCollector, fileKiB int) {
	set := processSettings{binary: *binary, config: c.config(), log: c.log}
	if fileKiB > 0 {
		set.binary = filepath.Join(c.dir, "limited")
		script := fmt.Sprintf("#!/usr/bin/env bash\nulimit -f %d && exec %q \"$@\"\n", fileKiB, *binary)
		require.NoError(st.t, os.WriteFile(set.binary, []byte(script), 0o700))
	}
	var err error
	c.process, err = startProcess(set)
	require.NoError(st.t, err)
	ctx, cancel := context.WithTimeout(st.ctx, startBound)
	defer cancel()
	require.NoError(st.t, c.process.ready(ctx, listening(c.endpoint)))
}

// kill ends the process at once, as kill -9 does.
func (st *stage) kill(c *stagedCollector) {
	if c.process != nil {
		assert.NoError(st.t, c.process.kill())
		c.process = nil
	}
}

// terminate sends SIGTERM. The process must end by itself and without an error.
func (st *stage) terminate(c *stagedCollector) {
	assert.NoError(st.t, c.process.stop(stopBound))
	c.process = nil
}

// reload has a collector read its configuration again, and returns when it runs on it.
func (st *stage) reload(c *stagedCollector) {
	starts := func() int {
		text, err := os.ReadFile(c.log.Name())
		require.NoError(st.t, err)
		return bytes.Count(text, []byte("Everything is ready."))
	}
	before := starts()
	require.NoError(st.t, c.process.reload())
	for starts() == before {
		st.pause(20 * time.Millisecond)
	}
}

// restart kills the only scorer, notes what it held, and starts it again, without a limit on its files.
func (st *stage) restart() {
	st.during(func() {
		st.held = st.holding()
		st.kill(st.scorers[0])
		st.start(st.scorers[0], 0)
	})
}
