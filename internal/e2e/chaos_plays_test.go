//go:build chaos

package e2e

import (
	"time"

	"github.com/stretchr/testify/require"
)

// A play is what is done to collectors under load. When it returns, the load ends.
type play func(*stage)

// steady lets the load continue for some time.
func steady(d time.Duration) play { return func(st *stage) { st.pause(d) } }

// terminateHolding stops the collector when the load has come to its end and at least that number of spans is held.
func terminateHolding(held int) play {
	return func(st *stage) {
		st.senders.done.Wait() // the load has an end of its own
		for st.missing() > st.holding() {
			st.pause(50 * time.Millisecond) // spans that the collector must not hold are on their way
		}
		st.held = st.holding()
		require.GreaterOrEqual(st.t, st.held, held, "nothing is shown")
		st.terminate(st.scorers[0])
	}
}

// killAtRandom kills the collector several times under load, and starts it again.
func killAtRandom(times int) play {
	return func(st *stage) {
		for range times {
			st.pause(time.Duration(400+st.rng.IntN(1000)) * time.Millisecond)
			st.restart()
		}
		st.pause(500 * time.Millisecond)
	}
}

// refuseMeanwhile has the sink refuse for a time, with some time of peace before and after.
func refuseMeanwhile(peace, trouble time.Duration) play {
	return func(st *stage) {
		st.pause(peace)
		st.sink.refuses.Store(true)
		st.pause(trouble)
		st.sink.refuses.Store(false)
		st.pause(peace)
	}
}

// reloadOften changes the configuration several times under load. Each threshold gives the same verdicts.
func reloadOften(times int) play {
	return func(st *stage) {
		changed := st.settings
		for i := range times {
			st.pause(time.Duration(700+st.rng.IntN(600)) * time.Millisecond)
			changed.wait = st.settings.wait / time.Duration(1+(i+1)%2)
			changed.threshold = passMark + 0.1*float64((i+1)%2)
			st.configure(st.scorers[0], changed)
			st.during(func() { st.reload(st.scorers[0]) })
		}
		st.pause(500 * time.Millisecond)
	}
}

// freeTheDisk waits until the limit on files refuses senders, continues for a while, and restarts without the limit.
func freeTheDisk(while time.Duration) play {
	return func(st *stage) {
		for refused := 0; refused < 20; st.look(func(s *sent, _ *arrivals) { refused = s.retries }) {
			st.pause(20 * time.Millisecond)
		}
		st.pause(while)
		st.restart()
		st.pause(while)
	}
}

// between does something in the middle of a load.
func between(d time.Duration, do play) play {
	return func(st *stage) {
		st.pause(d / 3)
		do(st)
		st.pause(d / 3)
	}
}

// reroute has the front read the list of scorers again, as it does when a name resolves to other addresses.
func (st *stage) reroute() {
	st.spread()
	st.reload(st.front)
}

func killInPlace(st *stage) {
	victim := st.scorers[st.rng.IntN(len(st.scorers))]
	st.during(func() {
		st.kill(victim)
		st.pause(time.Second)
		st.start(victim, 0)
	})
}

// killAndMove kills a scorer and has the front forget it, for a time.
func killAndMove(absence time.Duration) play {
	return func(st *stage) {
		victim := st.scorers[st.rng.IntN(len(st.scorers))]
		victim.out = true
		st.during(func() {
			st.kill(victim)
			st.reroute()
		})
		st.pause(absence)
		victim.out = false
		st.during(func() {
			st.start(victim, 0)
			st.reroute()
		})
	}
}

func addOne(st *stage) {
	st.during(func() {
		st.add(0)
		st.reroute()
	})
}

func drainOne(st *stage) {
	victim := st.scorers[0]
	victim.out = true
	st.during(st.reroute)
	st.pause(st.settings.wait + slack) // its runs close: run.wait, and what a busy machine adds
	st.terminate(victim)
}
