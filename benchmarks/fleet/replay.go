package main

import (
	_ "embed" // the real figures
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
)

// A real is what `make e2e-fleet` measured of a case, and what its play was like.
type real struct {
	Case       string       `json:"case"`
	Seconds    float64      `json:"seconds"` // how long the load lasted
	Changes    [][2]float64 `json:"changes"` // when each change of the fleet began and ended
	Runs       float64      `json:"runs"`
	UnderWay   float64      `json:"under_way"`
	Once       float64      `json:"once"`
	Incomplete float64      `json:"incomplete"`
	Torn       float64      `json:"torn"`
}

// The case add was fitted to the first play. The second came after it and changed nothing here.
var (
	//go:embed testdata/real.json
	firstPlay []byte
	//go:embed testdata/real-second.json
	secondPlay []byte
)

// reals are the cases of both plays.
func reals() ([2][]real, error) {
	var plays [2][]real
	return plays, errors.Join(json.Unmarshal(firstPlay, &plays[0]), json.Unmarshal(secondPlay, &plays[1]))
}

// The load of the real test: each sender sends a job of four runs in four requests, one a second.
const (
	senders     = 100
	runsPerJob  = 4
	requests    = 4
	requestGap  = 1.0
	subAgents   = 0.1
	expectTools = 3
)

// replay plays the real test's cases without processes.
func replay(r real, seed uint64) figures {
	f := fleetOf(r)
	rng := rand.New(rand.NewPCG(seed, 3))
	var g figures
	for sender := range senders {
		offset := float64(sender) / senders * requests * requestGap
		for t := offset; t < r.Seconds; t += requests * requestGap {
			for range runsPerJob {
				g.job(f, rng, t)
			}
		}
	}
	return g
}

// job adds one trace: an agent's run, and sometimes a sub-agent's in it.
func (g *figures) job(f fleet, rng *rand.Rand, t float64) {
	trace := position(rng)
	agents := 1
	if rng.Float64() < subAgents {
		agents = 2
	}
	spans, calls, ends := 0, [][]int{}, []int{}
	for range agents {
		var own []int
		for range callsOf(rng) {
			spans += 4 // a model's, a step, the call, what is below it
			own = append(own, spans-2)
		}
		calls = append(calls, own)
	}
	for range agents {
		spans++
		ends = append(ends, spans-1)
	}
	at := make([]float64, spans)
	for i := range at {
		at[i] = t + requestGap*float64(rng.IntN(requests))
	}
	slices.Sort(at)
	for a := range agents {
		r := run{position: trace, start: t, end: at[ends[a]]}
		for _, i := range calls[a] {
			r.calls = append(r.calls, at[i])
		}
		g.add(f.fate(r))
	}
}

// callsOf is how many calls a run has: the expected ones mostly, and sometimes others.
func callsOf(rng *rand.Rand) (n int) {
	for range expectTools {
		if rng.Float64() < 0.8 {
			n++
		}
	}
	if rng.Float64() < 0.3 {
		n++
	}
	if n > 0 && rng.Float64() < 0.2 {
		n++
	}
	return n
}

// fleetOf are the changes of a case. Senders to a killed scorer wait until the balancer has another list. So the loss of a
// scorer counts from the beginning of a change, a new scorer from its end.
func fleetOf(r real) fleet {
	f := fleet{{ring: newRing([]int{0, 1, 2})}}
	for i, at := range r.Changes {
		c := change{at: at[1], from: at[0], to: at[1], ring: newRing([]int{0, 1, 2}), began: map[int]float64{}}
		switch {
		case r.Case == "add": // the process takes nearly all of that time to start
			c.ring, c.began = newRing([]int{0, 1, 2, 3}), map[int]float64{3: at[1]}
		case r.Case == "drain":
			c.ring = newRing([]int{1, 2})
		case r.Case == "kill-and-move" && i == 0:
			c.at, c.ring = at[0], newRing([]int{0, 1})
		}
		f = append(f, c)
	}
	return f
}
