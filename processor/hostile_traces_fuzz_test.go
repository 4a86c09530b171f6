package processor

import (
	"math/rand/v2"
	"testing"
)

// FuzzHostileSpansOfTwoTraces is [FuzzHostileSpans] with a victim whose runs are in two traces of one process, and share call IDs.
// All its spans have arrived before one of its runs closes, and each names a parent in its own trace.
func FuzzHostileSpansOfTwoTraces(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, seed+1)
	}
	f.Add(uint64(1000550), uint64(1000551)) // another process's span below the span that names an agent
	f.Add(uint64(1006303), uint64(1006304)) // a task of a crew that requested nothing
	f.Fuzz(func(t *testing.T, victim, attack uint64) {
		random := rand.New(rand.NewPCG(victim, 5))
		v := newVictim(random)
		v.addCrew(random)
		v.divide(random)
		v.keepsTheLaw(t, attack)
	})
}

// divide moves some of the victim's spans to a trace of their own, with an agent above them.
func (v *victim) divide(random *rand.Rand) {
	v.twoTraces = true
	v.add(agent("second", "", 0, 30).in(1))
	first := map[byte]string{0: "root", 1: "second"}
	traces := map[string]byte{"root": 0, "second": 1}
	for i := range v.spans {
		if s := &v.spans[i]; s.id != "root" && s.id != "second" {
			s.trace = byte(random.IntN(2))
			traces[s.id] = s.trace
		}
	}
	for i := range v.spans {
		s := &v.spans[i]
		if s.id == first[s.trace] {
			continue
		}
		if trace, sent := traces[s.parent]; !sent || trace != s.trace {
			s.parent = first[s.trace]
		}
	}
}
