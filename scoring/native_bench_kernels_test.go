package scoring

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// BenchmarkNaiveNames is the baseline for [BenchmarkNames]: a map of counts, and the textbook's longest common subsequence.
func BenchmarkNaiveNames(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		e, calls := workload(b, n)
		var names [2][]string
		for _, t := range e.Tools() {
			names[0] = append(names[0], t.Name)
		}
		for _, c := range calls {
			names[1] = append(names[1], c.Name)
		}
		for order, count := range map[Order]func(a, b []string) int{AnyOrder: naiveMultiset, InOrder: naiveLCS} {
			v := native(b, func(o *NativeOptions) { o.Order = order }).Judge(e, calls)
			b.Run(fmt.Sprintf("order=%v/calls=%d", order, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if count(names[0], names[1]) != len(v.Alignment.Pairs) {
						b.Fatal("the naive form finds another number of pairs")
					}
				}
			})
		}
	}
}

func naiveMultiset(expected, called []string) int {
	left := map[string]int{}
	for _, name := range called {
		left[name]++
	}
	found := 0
	for _, name := range expected {
		if left[name] > 0 {
			left[name]--
			found++
		}
	}
	return found
}

// contest returns n tools and n calls of one name. Each call agrees with each tool in some of four keys. This is the hardest
// case of order any: all calls compete for all tools, with partial credits.
func contest(tb testing.TB, n int) (*Expectation, []Call) {
	tb.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 1))
	arguments := func() Payload {
		return JSON(fmt.Sprintf(`{"a":%d,"b":%d,"c":%d,"d":%d}`, random.IntN(4), random.IntN(4), random.IntN(8), random.IntN(n)))
	}
	tools, calls := make([]Tool, n), make([]Call, n)
	for i := range n {
		tools[i], calls[i] = Tool{Name: "a", Arguments: arguments()}, Call{Name: "a", Arguments: arguments()}
	}
	return expectation(tb, ExpectationSettings{Tools: tools}), calls
}

// BenchmarkContest: what does the hardest case cost, with n*n comparisons of arguments? From n = 1,000 on it is greedy, so
// the cost must not grow with the cube of n.
func BenchmarkContest(b *testing.B) {
	for _, n := range []int{10, 100, 500, 1000} {
		b.Run("calls="+strconv.Itoa(n), func(b *testing.B) {
			e, calls := contest(b, n)
			m := native(b, func(o *NativeOptions) { o.Arguments = ArgumentsPartial })
			b.ReportAllocs()
			for b.Loop() {
				if m.Judge(e, calls).Status != Scored {
					b.Fatal("not scored")
				}
			}
		})
	}
}

// BenchmarkMatching: what does a verdict cost if names overlap, so that calls must be exchanged?
func BenchmarkMatching(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run("calls="+strconv.Itoa(n), func(b *testing.B) {
			tools, calls := make([]Tool, n), make([]Call, n)
			for i := range n {
				tools[i].Names = []string{"tool_" + strconv.Itoa(i), "tool_" + strconv.Itoa((i+1)%n)}
				calls[i].Name = "tool_" + strconv.Itoa((i*7+1)%n)
			}
			e := expectation(b, ExpectationSettings{Tools: tools})
			m := native(b, nil)
			b.ReportAllocs()
			for b.Loop() {
				if m.Judge(e, calls).Status != Scored {
					b.Fatal("not scored")
				}
			}
		})
	}
}

// BenchmarkAlignOrdered: what does an order cost if every other tool is optional, so that one bit a cell is not enough?
func BenchmarkAlignOrdered(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run("calls="+strconv.Itoa(n), func(b *testing.B) {
			e, calls := workload(b, n)
			tools := slices.Clone(e.Tools())
			for i := range tools {
				tools[i].Optional = i%2 == 1
			}
			e = expectation(b, ExpectationSettings{Tools: tools})
			m := native(b, func(o *NativeOptions) { o.Order = InOrder })
			b.ReportAllocs()
			for b.Loop() {
				if m.Judge(e, calls).Status != Scored {
					b.Fatal("not scored")
				}
			}
		})
	}
}

// BenchmarkWithArguments: what does a run cost if 200 bytes of arguments are compared for each call?
func BenchmarkWithArguments(b *testing.B) {
	for _, n := range []int{3, 10} {
		b.Run("calls="+strconv.Itoa(n), func(b *testing.B) {
			tools, calls := make([]Tool, n), make([]Call, n)
			for i := range n {
				tools[i] = Tool{Name: "tool_" + strconv.Itoa(i), Arguments: JSON(arguments200)}
				calls[i] = Call{Name: tools[i].Name, Arguments: JSON(arguments200)}
			}
			e := expectation(b, ExpectationSettings{Tools: tools})
			m := native(b, func(o *NativeOptions) { o.Arguments = ArgumentsSubset })
			b.ReportAllocs()
			for b.Loop() {
				if m.Judge(e, calls).Score != 1 {
					b.Fatal("not all match")
				}
			}
		})
	}
}

// BenchmarkReason: what does it cost to explain a verdict, and to list the missing names?
func BenchmarkReason(b *testing.B) {
	for _, n := range []int{10, 1000} {
		e, calls := workload(b, n)
		v := native(b, nil).Judge(e, calls)
		b.Run(fmt.Sprintf("of=verdict/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v.Reason(ReasonOptions{}) == "" {
					b.Fatal("no reason")
				}
			}
		})
		b.Run(fmt.Sprintf("of=names/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NameDiff(e, calls)
			}
		})
	}
}
