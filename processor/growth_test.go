package processor

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// hostile has requests of a sender that wants to keep the processor busy, of about n spans or attributes.
var hostile = []struct {
	name   string
	td     func(n int) ptrace.Traces
	reason string
}{
	{"a protocol's spans of a large resource", func(n int) ptrace.Traces {
		return ofLargeResource(n, func(i int) span { return protocol("p"+strconv.Itoa(i), "", 1, 2, "search") })
	}, "the resource is read once for the batch"},
	{"agents of a large resource, beside a protocol", func(n int) ptrace.Traces {
		td := ofLargeResource(n, func(i int) span { return agent("a"+strconv.Itoa(i), "", 1, 2) })
		beside := traces(protocol("p", "", 1, 2, "search"))
		beside.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		return td
	}, "the resource is read once for all runs"},
}

// ofLargeResource returns n spans of a resource with n attributes. Its text is made only when it is read.
func ofLargeResource(n int, spanOf func(i int) span) ptrace.Traces {
	spans := make([]span, n)
	for i := range spans {
		spans[i] = spanOf(i)
	}
	td := traces(spans...)
	attributes := td.ResourceSpans().At(0).Resource().Attributes()
	for i := range n {
		attributes.PutInt("key."+strconv.Itoa(i), int64(1000+i))
	}
	return td
}

// Four times as much takes four times the allocations and the memory, or a little more. They are counted, so the result does
// not depend on the machine. What is quadratic takes sixteen times.
func TestWorkGrowsWithTheRequest(t *testing.T) {
	const small, times, most = 250, 4, 6
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			measured := func(n int) (bytes, count uint64) {
				r, td := strict(t, nil), tc.td(n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				r.pass(td)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
			}
			bytes, count := measured(small)
			moreBytes, more := measured(times * small)
			t.Logf("%d bytes in %d allocations, then %d in %d", bytes, count, moreBytes, more)
			if more > most*count || moreBytes > most*bytes {
				t.Errorf("%d times as much takes %.1f times the allocations and %.1f times the memory: %s",
					times, float64(more)/float64(count), float64(moreBytes)/float64(bytes), tc.reason)
			}
		})
	}
}
