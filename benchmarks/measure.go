package main

import (
	"fmt"
	"io"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// result is what a workload cost with each contender; the indices of the slices are those of the contenders.
type result struct {
	load  *workload.Load // without its requests
	whole [][]rig.Cost   // by contender, then by round: from bytes
	alone [][]rig.Cost   // likewise, unmarshalled before
	held  []rig.Holding  // by contender
	// further is how many bytes ours keeps of each span beyond the first full*spans, where there are no runs.
	further float64
}

// full is how many times the usual number of spans fill all tables of ours that have a fixed size.
const full = 4

func (o options) measure(progress io.Writer) ([]result, error) {
	var results []result
	for _, kind := range o.kinds {
		r, err := o.measureKind(kind, progress)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// measureKind measures the contenders in turn, and begins each round with another one, so that what changes on the
// machine meanwhile meets all of them.
func (o options) measureKind(kind workload.Kind, progress io.Writer) (result, error) {
	load := kind.Make(o.spans, o.seed)
	n := len(o.contenders)
	r := result{whole: make([][]rig.Cost, n), alone: make([][]rig.Cost, n), held: make([]rig.Holding, n)}
	for round := range o.rounds {
		fmt.Fprintf(progress, "%s: round %d of %d\n", kind.Name, round+1, o.rounds)
		for turn := range n {
			i := (round + turn) % n
			if err := o.measureOne(&r, load, i); err != nil {
				return r, err
			}
		}
	}
	for i, c := range o.contenders[1:] {
		held, err := rig.Hold(c, load, o.hold)
		if err != nil {
			return r, err
		}
		r.held[i+1] = held
	}
	if load.Runs == 0 {
		if err := o.measureFurther(&r, kind); err != nil {
			return r, err
		}
	}
	counts := *load
	counts.Requests = nil
	r.load = &counts
	return r, nil
}

// measureFurther finds out whether what ours keeps grows with spans of no run, once its tables are full.
func (o options) measureFurther(r *result, kind workload.Kind) error {
	var kept [2]rig.Holding
	for i := range kept {
		var err error
		load := kind.Make((i+1)*full*o.spans, o.seed)
		if kept[i], err = rig.Hold(rig.Ours, load, o.hold); err != nil {
			return err
		}
	}
	r.further = float64(kept[1].Bytes-kept[0].Bytes) / float64(full*o.spans)
	return nil
}

// measureOne adds a round of the contender i.
func (o options) measureOne(r *result, load *workload.Load, i int) error {
	whole, err := rig.Run(o.contenders[i], load, o.wait)
	if err != nil {
		return err
	}
	alone, err := rig.RunAlone(o.contenders[i], load, o.wait)
	if err != nil {
		return err
	}
	r.whole[i] = append(r.whole[i], whole)
	r.alone[i] = append(r.alone[i], alone)
	return nil
}

// perSpan is the median over the rounds of f, by span.
func (r result) perSpan(costs []rig.Cost, f func(rig.Cost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, f(c)/float64(r.load.Spans))
	}
	return rig.Median(values)
}

// paired is the median over the rounds of f of two contenders in one round.
func paired(a, b []rig.Cost, f func(a, b float64) float64) float64 {
	var values []float64
	for i := range a {
		values = append(values, f(float64(a[i].CPU), float64(b[i].CPU)))
	}
	return rig.Median(values)
}

func quotient(a, b float64) float64 { return a / b }

// added is the CPU time in ns that the contender i adds to a span of the first.
func (r result) added(costs [][]rig.Cost, i int) float64 {
	return paired(costs[i], costs[0], func(a, b float64) float64 { return (a - b) / float64(r.load.Spans) })
}

func cpu(c rig.Cost) float64    { return float64(c.CPU) }
func wall(c rig.Cost) float64   { return float64(c.Wall) }
func allocs(c rig.Cost) float64 { return float64(c.Allocs) }
func bytes(c rig.Cost) float64  { return float64(c.Bytes) }
