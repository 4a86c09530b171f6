package runtest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// CheckGrowth compares the work for n with that for four times as many. Work is counted, so the result does not depend on the
// machine. Quadratic work takes sixteen times, and sorting less than six.
func CheckGrowth(t *testing.T, n int, reason string, play func(tb testing.TB, n int) compare.Work) {
	t.Helper()
	const times, most = 4, 6
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	measured := func(n int) (compare.Work, uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := play(t, n)
		runtime.ReadMemStats(&after)
		return w, after.TotalAlloc - before.TotalAlloc
	}
	little, littleBytes := measured(n)
	much, muchBytes := measured(times * n)
	t.Logf("%d units of work and %d bytes, then %d and %d", little, littleBytes, much, muchBytes)
	if much > most*little {
		t.Errorf("%d times as much takes %.1f times the work: %s", times, float64(much)/float64(little), reason)
	}
	if muchBytes > most*littleBytes {
		t.Errorf("%d times as much takes %.1f times the memory: %s", times, float64(muchBytes)/float64(littleBytes), reason)
	}
}

// BenchmarkGrowth measures the cost of one of n, for several n.
func BenchmarkGrowth(b *testing.B, name string, play func(tb testing.TB, n int) compare.Work) {
	for _, n := range []int{1 << 10, 1 << 12, 1 << 14} {
		b.Run(fmt.Sprintf("shape=%s/n=%d", strings.ReplaceAll(name, " ", "_"), n), func(b *testing.B) {
			var w compare.Work
			for b.Loop() {
				w = play(b, n)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/span")
			b.ReportMetric(float64(w)/float64(n), "work/span")
		})
	}
}
