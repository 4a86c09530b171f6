package main

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// The day's traffic: a million spans a second at its peak, 5 of 100 of them agents', in runs of 8 spans with 3 calls.
const (
	day          = 86400.0
	peakSpans    = 1_000_000.0
	agentsShare  = 0.05
	spansPerRun  = 8
	callsPerRun  = 3
	meanSeconds  = 20.0 // of a run
	wait         = 10.0 // run.wait
	lowest       = 0.4  // the night's share of the peak
	crashes      = 3
	away         = 60.0 // how long a killed scorer is away
	noticed      = 10.0 // how long balancers take to learn that it is
	moveInterval = 45.0 // between two restarts of a rolling upgrade
)

// traffic is the share of the peak at a time of the day.
func traffic(t float64) float64 {
	return lowest + (1-lowest)*(1-math.Cos(2*math.Pi*t/day))/2
}

// A schedule is what happens to a fleet in a day.
type schedule struct {
	rng   *rand.Rand
	alive map[int]bool
	began map[int]float64
	fleet fleet
	kinds map[string]int // how many changes of each kind
	kills []float64
}

func (s *schedule) change(at float64, kind string) {
	var scorers []int
	for id := range s.alive {
		scorers = append(scorers, id)
	}
	s.fleet = append(s.fleet, change{at: at, from: at, to: at, ring: newRing(scorers), began: maps.Clone(s.began)})
	s.kinds[kind]++
}

// aDay makes the schedule: the fleet follows the traffic one scorer at a time, all are upgraded once at night, and some crash.
func aDay(peak int, seed uint64) *schedule {
	s := &schedule{rng: rand.New(rand.NewPCG(seed, 1)), alive: map[int]bool{}, began: map[int]float64{}, kinds: map[string]int{}}
	need := func(t float64) int { return int(math.Ceil(float64(peak) * traffic(t))) }
	for id := range need(0) {
		s.alive[id] = true
	}
	s.change(0, "start")
	type event struct {
		at   float64
		kind string
		id   int
	}
	var events []event
	size := need(0)
	for t := 0.0; t < day; t += 60 {
		for ; size < need(t); size++ {
			events = append(events, event{t + s.rng.Float64(), "add", size})
		}
		for ; size > need(t); size-- {
			events = append(events, event{t + s.rng.Float64(), "drain", size - 1})
		}
	}
	for id := range need(0) { // at night, while the fleet is small
		at := 300 + float64(id)*moveInterval
		events = append(events, event{at, "restart: goes", id}, event{at + 30, "restart: returns", id})
	}
	for range crashes {
		at := day/4 + s.rng.Float64()*day/2
		id := s.rng.IntN(need(0))
		s.kills = append(s.kills, at)
		events = append(events, event{at + noticed, "crash: goes", id}, event{at + away, "crash: returns", id})
	}
	slices.SortFunc(events, func(a, b event) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	for _, e := range events {
		switch e.kind {
		case "add":
			s.alive[e.id], s.began[e.id] = true, e.at
		case "restart: returns", "crash: returns":
			s.alive[e.id] = true // it knows from its disk what it knew
		default:
			delete(s.alive, e.id)
		}
		s.change(e.at, e.kind)
	}
	return s
}

// runsOfADay calls f with one of sample runs of the day.
func runsOfADay(sample int, seed uint64, f func(run)) {
	rng := rand.New(rand.NewPCG(seed, 2))
	peak := peakSpans * agentsShare / spansPerRun / float64(sample)
	for t := rng.ExpFloat64() / peak; t < day; t += rng.ExpFloat64() / peak {
		if rng.Float64() > traffic(t) {
			continue
		}
		// Lognormal with a long tail: the median is two thirds of the mean.
		lasts := meanSeconds * math.Exp(0.9*rng.NormFloat64()-0.405)
		r := run{position: position(rng), start: t, end: t + lasts}
		for range callsPerRun {
			r.calls = append(r.calls, t+lasts*rng.Float64())
		}
		slices.Sort(r.calls)
		f(r)
	}
}
