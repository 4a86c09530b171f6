package releasebatch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Elements of one origin leave behind each other if that saves more than a release batch.
func TestGroup(t *testing.T) {
	origin := func(wire uint32) *agentrun.Origin {
		o := &agentrun.Origin{}
		o.First, o.OfResource.Wire = o, wire
		return o
	}
	a, b, small := origin(MaxBytes/2), origin(MaxBytes/2), origin(100)
	for _, c := range []struct {
		name    string
		origins []*agentrun.Origin
		order   []int // of the elements, by their first places
		reason  string
	}{
		{"nothing", nil, nil, "there is nothing to group"},
		{"small", []*agentrun.Origin{small, a, small, small}, []int{0, 1, 2, 3}, "a batch has room for all of them"},
		{"large", []*agentrun.Origin{a, b, a, b, small, a}, []int{0, 2, 5, 1, 3, 4}, "origins keep the order in which they occur, and elements of one origin theirs"},
		{"large, in order", []*agentrun.Origin{a, a, b, b, small}, []int{0, 1, 2, 3, 4}, "they are behind each other"},
		{"without a span", []*agentrun.Origin{a, nil, b, nil, a, b}, []int{0, 4, 1, 3, 2, 5}, "a run whose span never arrived has no origin"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h agentrun.ClosedBatch
			for i, o := range c.origins {
				anchor := agentrun.Anchor{Origin: o, Span: agentrun.Span{Start: pcommon.Timestamp(i)}}
				run := agentrun.Run{Size: i}
				if o != nil {
					run.Anchors = []agentrun.Anchor{anchor}
				}
				h.Runs, h.Passthrough = append(h.Runs, run), append(h.Passthrough, anchor)
			}
			Group(&h)
			var runs, spans []int
			for i := range h.Runs {
				runs, spans = append(runs, h.Runs[i].Size), append(spans, int(h.Passthrough[i].Start))
			}
			require.Equal(t, c.order, runs, c.reason)
			require.Equal(t, c.order, spans, c.reason)
		})
	}
}

// Each part of a long backlog is grouped by itself.
func TestGroupWorksInParts(t *testing.T) {
	var all []int
	of := [...]*agentrun.Origin{{}, {}}
	for _, o := range of {
		o.First, o.OfResource.Wire = o, MaxBytes
	}
	for i := range 2 * groupedAtOnce {
		all = append(all, i)
	}
	group(all, func(i *int) *agentrun.Origin { return of[*i%2] })
	var switches int
	for i := 1; i < len(all); i++ {
		if all[i]%2 != all[i-1]%2 {
			switches++
		}
	}
	require.Equal(t, 3, switches, "each origin is together in each of two parts")
	slices.Sort(all)
	for i := range all {
		require.Equal(t, i, all[i], "each element is there once")
	}
}
