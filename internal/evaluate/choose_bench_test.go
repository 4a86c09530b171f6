package evaluate

import (
	"context"
	"fmt"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// BenchmarkChoice: what does it cost to find the expectation of a run, each run of the next agent, one expectation an agent.
// asked=all asks in order until a condition holds, asked=few is what the processor does.
func BenchmarkChoice(b *testing.B) {
	ask := asker(b)
	for _, n := range []int{1, 2, 4, 8, 10, 100, 1000} {
		all := agents(ask, n)
		anchors := make([]*conditions.Place, n)
		for i := range anchors {
			anchors[i] = anchorOf(all[i].Name)
		}
		e := evaluatorOf(one, all)
		var v Evaluation
		for _, way := range []struct {
			name   string
			choose func(*conditions.Place) *Expectation
		}{
			{"all", func(a *conditions.Place) *Expectation { return firstOf(b.Context(), all, a) }},
			{"few", func(a *conditions.Place) *Expectation {
				e.choose(b.Context(), &v, a)
				return v.matches.list[0].Expectation
			}},
		} {
			b.Run(fmt.Sprintf("expectations=%d/asked=%s", n, way.name), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if way.choose(anchors[i]) != &all[i] {
						b.Fatal("the expectation of another agent")
					}
					i = (i + 1) % n
				}
			})
		}
	}
}

// firstOf evaluates conditions until one holds.
func firstOf(ctx context.Context, all []Expectation, anchor *conditions.Place) *Expectation {
	for i := range all {
		tctx := anchor.Open()
		holds, err := all[i].When.Eval(ctx, tctx)
		tctx.Close()
		if err == nil && holds {
			return &all[i]
		}
	}
	return nil
}
