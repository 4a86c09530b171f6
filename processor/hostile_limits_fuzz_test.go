package processor

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzHostileSpansAtALimit plays the runs of a victim alone without limits. Then it plays them among spans of another
// process, of which the victim's runs close early, because few runs may be open. The law: a verdict of the victim that calls
// itself complete is the verdict that the victim has alone. A workflow or a root that represented no run when a limit closed
// its trace has no verdict: see docs/security.md.
func FuzzHostileSpansAtALimit(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, seed+1, uint8(0))
	}
	f.Add(uint64(2389), uint64(2390), uint8(0)) // a run that a limit closed took calls that began before it
	f.Fuzz(func(t *testing.T, victim, attack uint64, open uint8) {
		random := rand.New(rand.NewPCG(victim, 5))
		v := newVictim(random)
		if v.addCrew(random); v.wholeTrace {
			return // another process takes part in its runs
		}
		alone := v.play(t, attack, false)
		unlimited := v.set
		v.set = func(s *Settings) {
			unlimited(s)
			s.Limits.OpenRuns = 1 + int(open)%16
		}
		attacked := v.play(t, attack, true)
		for id, want := range alone {
			if got := attacked[id]; want["tool_correctness.status"] != nil && got["tool_correctness.complete"] == true {
				require.Equal(t, want, got, "the verdict on %q", id)
			}
		}
	})
}
