package processor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// source is a Source whose results a test sets.
type source struct {
	metrics []evaluate.Metric
	mu      sync.Mutex
	set     *evaluate.ExpectationSet
	err     error
}

func (s *source) Read(context.Context) (*evaluate.ExpectationSet, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.set
	s.set = nil
	return set, s.err
}

// next makes the source return set n, which expects the tool with that number.
func (s *source) next(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strconv.Itoa(n)
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "tool-" + name}}})
	if err != nil {
		panic(err)
	}
	s.err, s.set = nil, &evaluate.ExpectationSet{
		Expectations: []evaluate.Expectation{{Name: "set-" + name, Expected: expected, Metrics: s.metrics}}, Fingerprint: "config-" + name,
	}
}

func (s *source) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// reloading is a rig on a source. It looks every 10 seconds, and has the set 0.
func reloading(t *testing.T, interval time.Duration, change ...func(*Settings)) (*rig, *source) {
	t.Helper()
	s := &source{}
	r := newRig(t, func(set *Settings, _ *sink) {
		s.metrics = set.Metrics
		s.next(0)
		set.Source, set.ReloadInterval = s, interval
		set.Expectations, set.Fingerprint = nil, ""
		for _, c := range change {
			c(set)
		}
	})
	return r, s
}

// set returns the set that a verdict is from.
func (r *rig) setOf(name string) string {
	r.t.Helper()
	v := r.verdict(name)
	return fmt.Sprint(v["tool_correctness.expectation"], " ", v["tool_correctness.expected"], " ", v["tool_correctness.config"], " ", v["tool_correctness.status"])
}

func ofSet(n int) string { return fmt.Sprintf("set-%d [tool-%d] config-%d scored", n, n, n) }

func TestExpectationsAreReloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := reloading(t, 10*time.Second)
		h := &host{memoryStorage: newMemoryStorage()}
		require.NoError(t, r.Start(t.Context(), h))
		require.NoError(t, r.send(agent("first", "", 1, 10)))
		r.after(11*time.Second, 1)
		assert.Equal(t, ofSet(0), r.setOf("first"), "what was there at the start judges")
		assert.Zero(t, r.total("expectation_reloads"), "the start is no reload")

		require.NoError(t, r.send(agent("open", "", 1, 10).in(1)))
		s.next(1)
		r.after(11*time.Second, 2)
		assert.Equal(t, ofSet(1), r.setOf("open"), "a run is judged by the set that is valid when it is judged")
		assert.Equal(t, 1, r.totalWith("expectation_reloads", "result", "success"))
		assert.Equal(t, map[string]float64{"config-1": 1}, r.gauge("expectation_set"))
		assert.InDelta(t, 2, r.gauge("expectation_set_age")[""], 1.5, "seconds since the reload")

		s.fail(errors.New("cases.yaml:3: no such key"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, r.send(agent("wrong", "", 1, 10).in(2)))
		r.after(11*time.Second, 3)
		assert.Equal(t, ofSet(1), r.setOf("wrong"), "the last good set stays")
		assert.Equal(t, 1, r.totalWith("expectation_reloads", "result", "failure"), "one mistake is counted once")
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, h.statuses)

		s.fail(evaluate.ErrUnsettled)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Len(t, h.statuses, 1, "a file that is being written changes nothing")

		s.next(2)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.NoError(t, r.send(agent("mended", "", 1, 10).in(3)))
		r.after(11*time.Second, 4)
		assert.Equal(t, ofSet(2), r.setOf("mended"))
		assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, h.statuses)

		s.fail(errors.New("gone"))
		time.Sleep(time.Minute)
		synctest.Wait()
		s.fail(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, componentstatus.StatusOK, h.statuses[len(h.statuses)-1], "the old files are back, which is no new set")
		assert.Equal(t, 2, r.totalWith("expectation_reloads", "result", "success"))
		require.NoError(t, r.Shutdown(t.Context()))
		r.conserved()
	})
}

// A set with a fault keeps the collector from starting: there is no good set before it.
func TestAWrongFirstSetIsAnError(t *testing.T) {
	r, s := reloading(t, 0)
	s.fail(errors.New("cases.yaml:3: no such key"))
	require.EqualError(t, r.Start(t.Context(), componenttest.NewNopHost()), "the expectations in files cannot be read: cases.yaml:3: no such key")
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.telemetry.Shutdown(t.Context()))
}

// While sets are swapped, every run is scored, each by a single set.
func TestAHundredSwapsUnderLoad(t *testing.T) {
	const swaps, senders, each = 100, 8, 500
	synctest.Test(t, func(t *testing.T) {
		r, s := reloading(t, 10*time.Millisecond, func(set *Settings) {
			set.Wait, set.Limits = 0, Limits{OpenRuns: 1 << 20, Bytes: 1 << 30}
		})
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		var all sync.WaitGroup
		var mu sync.Mutex
		for sender := range senders {
			all.Go(func() {
				for i := range each {
					name := fmt.Sprintf("%d-%d", sender, i)
					td := traces(agent(name, "", 1, 10), tool("t"+name, name, 2, 3, "tool-0"))
					for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
						span.SetTraceID(pcommon.TraceID{1: byte(sender + 1), 2: byte(i), 3: byte(i >> 8), 15: byte(i)})
					}
					if err := r.ConsumeTraces(t.Context(), td); err != nil {
						t.Error(err)
					}
					mu.Lock()
					r.sent += 2
					mu.Unlock()
					time.Sleep(10 * time.Millisecond)
				}
			})
		}
		for n := range swaps {
			s.next(n + 1)
			time.Sleep(50 * time.Millisecond)
		}
		all.Wait()
		r.after(time.Minute, 2*senders*each)
		judgedBy := map[string]bool{}
		for sender := range senders {
			for i := range each {
				got := r.setOf(fmt.Sprintf("%d-%d", sender, i))
				var n int
				_, err := fmt.Sscanf(got, "set-%d", &n)
				require.NoError(t, err, "a run without a verdict: %s", got)
				require.Equal(t, ofSet(n), got, "a verdict of two sets")
				judgedBy[got] = true
			}
		}
		assert.Greater(t, len(judgedBy), 40, "the runs close at one tick in ten, and the sets change at one in five")
		assert.Equal(t, swaps, r.totalWith("expectation_reloads", "result", "success"))
		assert.Equal(t, senders*each, r.total("verdicts"))
		require.NoError(t, r.Shutdown(t.Context()))
		r.conserved()
	})
}

// gauge is the values of a gauge by their only attribute.
func (r *rig) gauge(name string) map[string]float64 {
	m, err := r.telemetry.GetMetric("otelcol_processor_tool_correctness_" + name)
	require.NoError(r.t, err)
	values := map[string]float64{}
	switch data := m.Data.(type) {
	case metricdata.Gauge[int64]:
		for _, p := range data.DataPoints {
			v, _ := p.Attributes.Value("config")
			values[v.AsString()] = float64(p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			values[""] = p.Value
		}
	}
	return values
}
