package scoring

import (
	"runtime"
	"slices"
	"testing"
)

// TestWorkOnConcurrentCallsIsBounded: a sender decides how many calls overlap and, with from_attribute, how many are
// expected. Allocated memory shows work that is not counted.
func TestWorkOnConcurrentCallsIsBounded(t *testing.T) {
	const mebibyte = 1 << 20
	named := func(name string, n int) []Tool { return slices.Repeat([]Tool{{Name: name}}, n) }
	zFirst := Call{Name: "z", Time: Interval{Start: 1, End: 2}}
	for _, tc := range []struct {
		name   string
		order  Order
		tools  []Tool
		calls  []Call
		status Status
		reason string
	}{
		{"no order can gain anything", InOrder, named("z a", 1), ladders(230, 21), Scored, "z was never called"},
		{"one ladder", InOrder, append(named("a", 1), Tool{Name: "z"}), append([]Call{zFirst}, ladders(1, 8)...), Scored,
			"it has few sets of calls"},
		{"ladders", InOrder, append(named("a", 1), Tool{Name: "z"}), append([]Call{zFirst}, ladders(230, 21)...), NotEvaluable,
			"a ladder has more sets of calls than the limit"},
		{"short ladders", InOrder, append(named("a", 29), Tool{Name: "z"}), append([]Call{zFirst}, ladders(400, 8)...), NotEvaluable,
			"each ladder has few sets of calls, but together they are more than the limit"},
		{"rows without calls", InOrder, slices.Concat(named("a", 150), named("z", 50), named("b", 1)),
			slices.Concat(oneByOne("a", 150), together("b", 4000)), Scored, "b can be paired with one row only"},
		{"rows that compete", InOrder, append(named("a", 100), Tool{Name: "z"}), slices.Concat([]Call{zFirst}, together("a", 500)),
			Scored, "each row of a has a call, and z was over before any of them"},
		{"rows that compete, exactly", ExactOrder, append(named("a", 2999), Tool{Name: "z"}),
			append([]Call{{Name: "z", Time: Interval{Start: 100_000, End: 200_000}}}, together("a", 2999)...), Scored, "no call comes before another one"},
		{"long lists", InOrder, append(named("a", 2999), Tool{Name: "z"}), slices.Concat([]Call{zFirst}, oneByOne("a", 8999), together("a", 2)),
			NotEvaluable, "one more order has as many cells as the first one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			n := native(t, func(o *NativeOptions) { o.Order = tc.order })
			e := expectation(t, ExpectationSettings{Tools: tc.tools})
			w := newNativeRun(n, tc.calls)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			v := Verdict{Threshold: n.options.Threshold}
			w.judge(&v, e)
			runtime.ReadMemStats(&after)
			work, allocated := maxConcurrentWork-w.concurrentWork, after.TotalAlloc-before.TotalAlloc
			w.release()
			if v.Status != tc.status {
				t.Errorf("%v %q after %d units, want %v: %s", v.Status, v.Why, work, tc.status, tc.reason)
			}
			if tc.status == Scored && work > maxConcurrentWork {
				t.Errorf("%d units, want at most %d", work, maxConcurrentWork)
			}
			if allocated > 128*mebibyte {
				t.Errorf("%d MiB were allocated: %s", allocated/mebibyte, tc.reason)
			}
		})
	}
}

// ladders returns groups of calls, one after the other. In each, k long calls end one by one while k others begin one by one.
// No two calls are alike.
func ladders(groups, k int) (calls []Call) {
	base := uint64(100)
	for range groups {
		for i := range uint64(k) {
			calls = append(calls, Call{Name: "a", Time: Interval{Start: base + i, End: base + 1000 + 10*i}})
		}
		for i := range uint64(k) {
			calls = append(calls, Call{Name: "a", Time: Interval{Start: base + 1005 + 10*i, End: base + 2000}})
		}
		base += 3000
	}
	return calls
}

func oneByOne(name string, n int) (calls []Call) {
	for i := range uint64(n) {
		calls = append(calls, Call{Name: name, Time: Interval{Start: 10*i + 10, End: 10*i + 11}})
	}
	return calls
}

func together(name string, n int) []Call {
	return slices.Repeat([]Call{{Name: name, Time: Interval{Start: 100_000, End: 200_000}}}, n)
}
