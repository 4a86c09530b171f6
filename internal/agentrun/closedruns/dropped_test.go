package closedruns

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// What falls out of a cache is known by the time of its closing, whatever its sender says of its own time.
func TestDropped(t *testing.T) {
	const wait, idle = 10 * time.Nanosecond, 60 * time.Nanosecond
	closed := func(reason agentrun.CloseReason) func(*Cache) {
		return func(c *Cache) {
			c.Keep(pcommon.TraceID{1}, Runs{{Span: agentrun.Span{Start: 1 << 62, End: 1 << 62}, Reason: reason, At: 100}})
		}
	}
	evicted := func(id byte) func(*Cache) {
		return func(c *Cache) { c.KeepEviction(pcommon.TraceID{id}, 100, agentrun.ByLimit) }
	}
	for _, tc := range []struct {
		name       string
		steps      []func(*Cache)
		start, end pcommon.Timestamp // of a run in trace 2, which opened at 95
		want       bool
		reason     string
	}{
		{"nothing fell out", []func(*Cache){closed(agentrun.ByAnchor)}, 1, 2, false, "the cache has one place, and it is not taken"},
		{"ended in time to close", []func(*Cache){closed(agentrun.ByAnchor), evicted(1)}, 80, 90, true, "it may have closed at 100"},
		{"ended later", []func(*Cache){closed(agentrun.ByAnchor), evicted(1)}, 80, 91, false, "it waits until 101"},
		{"began in time to be idle", []func(*Cache){closed(agentrun.ByIdle), evicted(1)}, 35, 99, true, "it may have closed at 95"},
		{"began later", []func(*Cache){closed(agentrun.ByIdle), evicted(1)}, 36, 99, false, "until 96 it is not idle, and then its trace was open"},
		{"closed by a limit", []func(*Cache){closed(agentrun.ByLimit), evicted(1)}, 100, 200, true, "a limit waits for nothing"},
		{"began after the limit", []func(*Cache){closed(agentrun.ByLimit), evicted(1)}, 101, 200, false, "it had not begun"},
		{"its trace was evicted", []func(*Cache){evicted(2)}, 100, 200, true, "what was known of it is forgotten"},
		{"began after the eviction", []func(*Cache){evicted(2)}, 101, 200, true, "calls that came before may be its own"},
		{"another trace was evicted", []func(*Cache){evicted(1)}, 1, 2, false, "that one is remembered"},
		{"a forgotten eviction", []func(*Cache){evicted(1), evicted(1)}, 100, 200, true, "it may have been of this trace"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := NewCache(1)
			for _, step := range tc.steps {
				step(&c)
			}
			d := c.Dropped(pcommon.TraceID{2})
			require.Equal(t, tc.want, d.MayHave(agentrun.Span{Start: tc.start, End: tc.end}, 95, wait, idle), tc.reason)
		})
	}
}

// An eviction is no run: nothing is late because of it.
func TestAnEvictionIsNoRun(t *testing.T) {
	c := NewCache(2)
	c.KeepEviction(pcommon.TraceID{}, 5, agentrun.ByLimit)
	s := agentrun.Span{Start: 5, End: 5}
	_, called := c.Called(&s)
	_, closed := c.Closed(&s)
	_, latest := c.Latest(s.Trace)
	require.Equal(t, [...]bool{false, false, false}, [...]bool{called, closed, latest})
	require.Empty(t, c.Of(s.Trace))
	c.Forget(s.Trace)
	require.NotZero(t, c.Dropped(s.Trace).Evicted, "a trace that opens again has been evicted all the same")
}

// A list that is full may have lost runs that closed before its oldest.
func TestTrim(t *testing.T) {
	var d Dropped
	d.NoteTrim(Runs{{At: 7}}, 2)
	require.Equal(t, Dropped{}, d)
	d.NoteTrim(Runs{{At: 7}, {At: 9}}, 2)
	require.Equal(t, Dropped{Closed: 7}, d)
	require.EqualValues(t, 4, d.Begun(3))
}

// Runs of one process are trimmed by its own doing. With several processes, one may do it to another.
func TestTrimmedRuns(t *testing.T) {
	run := func(at int64, by agentrun.Process) Run { return Run{Span: agentrun.Span{Process: by}, At: at} }
	for _, tc := range []struct {
		name string
		runs Runs
		kept int
		lost bool
	}{
		{"few", Runs{run(1, 1), run(2, 2)}, 2, false},
		{"many of one process", Runs{run(1, 1), run(2, 1), run(3, 1)}, 2, false},
		{"many of two processes", Runs{run(1, 1), run(2, 2), run(3, 2)}, 2, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kept, lost := tc.runs.Trim(2)
			require.Len(t, kept, tc.kept)
			require.Equal(t, tc.lost, lost)
		})
	}
}
