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
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"

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

// reloading has processors look at the source each interval. It has the set 0.
func (s *source) reloading(interval time.Duration) func(*Settings, *sink) {
	return func(set *Settings, _ *sink) {
		s.metrics = set.Metrics
		s.next(0)
		set.Source, set.ReloadInterval = s, interval
		set.Expectations, set.Fingerprint = nil, ""
	}
}

// setOf says from which set a verdict is.
func (r *rig) setOf(name string) string {
	r.t.Helper()
	v := r.verdict(name)
	return fmt.Sprint(v["tool_correctness.expectation"], " ", v["tool_correctness.expected"], " ", v["tool_correctness.config"], " ", v["tool_correctness.status"])
}

func ofSet(n int) string { return fmt.Sprintf("set-%d [tool-%d] config-%d scored", n, n, n) }

// A set with a fault keeps the collector from starting: there is no good set before it.
func TestAWrongFirstSetIsAnError(t *testing.T) {
	s := new(source)
	r := newRig(t, s.reloading(0))
	s.fail(errors.New("cases.yaml:3: no such key"))
	require.EqualError(t, r.Start(t.Context(), componenttest.NewNopHost()), "the expectations in files cannot be read: cases.yaml:3: no such key")
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.telemetry.Shutdown(t.Context()))
}

// While sets are swapped, every run is scored, each by a single set.
func TestAHundredSwapsUnderLoad(t *testing.T) {
	const swaps, senders, each = 100, 8, 500
	synctest.Test(t, func(t *testing.T) {
		s := new(source)
		r := newRig(t, func(set *Settings, k *sink) {
			s.reloading(10*time.Millisecond)(set, k)
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
