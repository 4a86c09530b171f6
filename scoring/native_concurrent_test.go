package scoring

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestManyCallsAtTheSameTime: there are too many orders to try each.
func TestManyCallsAtTheSameTime(t *testing.T) {
	for _, tc := range []struct {
		name   string
		time   func(i int) Interval
		order  Order
		status Status
		score  float64
		reason string
	}{
		{"all at once, in order", func(int) Interval { return Interval{Start: 1, End: 9} }, InOrder, Scored, 1, "an assignment finds the order"},
		{"all at once, exact", func(int) Interval { return Interval{Start: 1, End: 9} }, ExactOrder, Scored, 1, "an assignment finds the order"},
		{"two at a time", func(i int) Interval { return Interval{Start: uint64(10*i + 1), End: uint64(10*i + 12)} }, InOrder, Scored, 2. / 60, "a call can change places with its neighbours only"},
		{"in steps", func(i int) Interval { return Interval{Start: uint64(i + 1), End: uint64(i + 31)} }, InOrder, NotEvaluable, 0, "30 calls at any time, all different, in no groups"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := DefaultNative()
			o.Order, o.Arguments = tc.order, ArgumentsExact
			const n = 60
			tools, calls := make([]Tool, n), make([]Call, n)
			for i := range n {
				arguments := JSON(fmt.Sprintf(`{"n":%d}`, i))
				tools[n-1-i] = Tool{Name: "search", Arguments: arguments}
				calls[i] = Call{Name: "search", Arguments: arguments, Time: tc.time(i)}
			}
			v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls)
			if v.Status != tc.status || v.Score != tc.score {
				t.Errorf("%v %v, want %v %v: %s (%s)", v.Status, v.Score, tc.status, tc.score, tc.reason, v.Why)
			}
			slices.Reverse(tools)
			if v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls); v.Score != 1 {
				t.Errorf("calls in the expected order score %v: %s", v.Score, v.Why)
			}
			if v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools[1:]}), calls); o.Order == InOrder && v.Score != 1 {
				t.Errorf("calls in the expected order, and one more, score %v: %s", v.Score, v.Why)
			}
		})
	}
}

// times gives calls short times that often overlap, in the order of their starts.
func (d *dice) times(calls []Call) {
	var start uint64 = 1
	for i := range calls {
		start += uint64(d.below(3))
		calls[i].Time = Interval{Start: start, End: start + uint64(d.below(5))}
	}
}

// FuzzConcurrentLaws checks laws on lists that are too long to try every order.
func FuzzConcurrentLaws(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		o := d.options()
		o.Order = pick(d, []Order{InOrder, ExactOrder})
		tools := d.tools(10, features{patterns: true, counts: true, arguments: true, modes: true})
		calls := d.calls(12)
		d.times(calls)
		e := expectation(t, ExpectationSettings{Tools: tools})
		paired := func(order Order, c Concurrent, calls []Call) credits {
			o.Order, o.Concurrent = order, c
			v := judge(t, o, e, calls)
			if v.Why == tooConcurrent && c == ConcurrentAnyOrder && order != AnyOrder {
				return credits{unknown: true}
			}
			if v.Status != Scored {
				t.Fatalf("not scored: %s", v.Why)
			}
			checkPairs(t, v)
			return creditsOf(v)
		}
		order := o.Order
		started, free := paired(order, ConcurrentAsStarted, calls), paired(order, ConcurrentAnyOrder, calls)
		if free.less(started) {
			t.Errorf("any_order pairs %+v, as_started %+v", free, started)
		}
		if anyOrder := paired(AnyOrder, ConcurrentAnyOrder, calls); anyOrder.less(free) {
			t.Errorf("order any pairs %+v, %v %+v", anyOrder, order, free)
		}
		longer := slices.Clone(calls)
		for i := range longer {
			longer[i].Time.End += uint64(d.below(4))
		}
		if more := paired(order, ConcurrentAnyOrder, longer); more.less(free) {
			t.Errorf("calls that ran longer pair %+v instead of %+v: they have more orders", more, free)
		}
		for i := range calls {
			calls[i].Time = Interval{Start: uint64(2*i + 1), End: uint64(2*i + 2)}
		}
		if apart := paired(order, ConcurrentAnyOrder, calls); apart != started {
			t.Errorf("calls one after the other pair %+v, as_started %+v", apart, started)
		}
	})
}

// credits are the sums M of required tools and O of optional ones. A freer order maximizes M first, so precision and f1,
// which count O as well, may fall.
type credits struct {
	required, optional int
	unknown            bool // too many calls overlap
}

func creditsOf(v Verdict) (c credits) {
	if strings.Contains(v.Reason(ReasonOptions{}), "position by position") {
		return c // under exact, the calls do not fit: the score is 0, and the pairs only explain why
	}
	for _, p := range v.Alignment.Pairs {
		credit := int(math.Round(p.Credit * full))
		if slices.Contains(v.Alignment.Optional, p.Expected) {
			c.optional += credit
		} else {
			c.required += credit
		}
	}
	return c
}

// less compares credits that are both known.
func (c credits) less(o credits) bool {
	return !c.unknown && !o.unknown && cmp.Or(cmp.Compare(c.required, o.required), cmp.Compare(c.optional, o.optional)) < 0
}
