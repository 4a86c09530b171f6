//go:build chaos

package e2e

// The files chaos_* show that the collector which `make build` built loses no span that it acknowledged. Their tests kill, stop, fill
// and reload the collector under load, on loopback, and count: TestChaosCollector plays one collector, and TestChaosFleet a balancer
// with three scorers behind it, of which one is killed, added or drained. Both end with a table of all cases.
//
//	go test -tags chaos -v . -run ChaosCollector[/NAME] [-short] [-collector FILE] [-seed N]
//
// # Words
//
//   - A case has a load, a disturbance and a promise. The code calls it a scenario, because case is a keyword.
//   - A span is acknowledged if the Export call with it returned neither an error nor a partial success.
//   - A job is what one sender sends in order: runs and ordinary traces, cut into requests. A load has many jobs.
//   - The ledger is what the senders know: which spans were acknowledged, and when.
//   - The sink is the backend behind the collectors. It counts the spans that arrive, and keeps their verdicts.
//   - A stage is a case while it is played: sink, collectors, senders and ledger.
//   - A fault is a time in which a collector was away.
//   - A tally compares ledger and sink. It puts each span and each verdict into one class: right, lost, wrong and so on.
//   - A promise says which classes must be empty, and which must not be.
//
// # Files
//
//	chaos_cases_test.go   the cases, their promises and the reasons   chaos_plays_test.go   the disturbances
//	chaos_stage_test.go   a case while it is played; collectors       chaos_config_test.go  their configurations
//	chaos_load_test.go    jobs, and the verdicts that they must get   chaos_sender_test.go  senders and ledger
//	chaos_sink_test.go    the sink                                    chaos_tally_test.go   the tally, and what breaks a promise
//	chaos_count_test.go   tests of the tally

import (
	"slices"
	"time"
)

// A scenario is one case: collectors, a load, what is done to the collectors, and what must hold all the same.
type scenario struct {
	name     string
	fleet    bool // three scorers behind a front, and not one
	settings settings
	load     load
	fileKiB  int           // limit on the size of the collector's files at its first start; 0: none
	grace    time.Duration // how long senders may continue the jobs that they have begun when a load ends
	settles  time.Duration // how long copies may come when all has arrived
	quiet    time.Duration // if nothing arrives for this time, nothing will
	bound    time.Duration // the case ends then, and has failed
	play     play
	promise  promise
}

// A promise is what a case must keep. In every case each request is accepted in the end, and no sender gets an answer that
// makes it drop its spans. Verdicts that call themselves complete are right. The collector exits cleanly on SIGTERM.
type promise struct {
	loses      bool   // what was held when the collector was killed may be lost, and nothing else
	cuts       bool   // a run that was open when the collector was away may be judged on what came afterwards
	partial    amount // verdicts that say complete=false
	known      bool   // those are right in all else
	duplicates bool   // spans may come twice
	refused    bool   // senders must have been refused: otherwise the case has shown nothing
	reason     string
}

// An amount says how many verdicts may be partial.
type amount int

const (
	none amount = iota
	anyNumber
	few  // at most one in a hundred, and because the collector began anew
	some // at least one: otherwise the case has shown nothing
	all
)

// The shapes of jobs: about 60 and 1,000 spans in 4 requests.
var small, large = shape{runs: 4, ordinary: 4, requests: 4}, shape{runs: 64, ordinary: 4, requests: 4}

// scenarios are all cases, in the order in which they run. Times and numbers are smaller in the short form.
func scenarios(short bool) []scenario {
	cases := slices.Concat(undisturbedSink(short), refusingSink(short), storageCases(short))
	for i := range cases {
		cases[i].bound = pick(short, 30*time.Second, 90*time.Second)
		cases[i].grace = 20 * time.Second
		cases[i].quiet = 10 * time.Second // longer than the pauses of an exporter that retries
		if cases[i].promise.loses {
			cases[i].quiet = 3 * time.Second // nothing retries, so a lost span never arrives
		}
	}
	return cases
}

func undisturbedSink(short bool) []scenario {
	held := pick(short, 10_000, 100_000)
	return []scenario{{
		name:     "overflow",
		settings: settings{wait: 2 * time.Second, openRuns: 1000},
		load:     load{senders: 8, shape: large},
		play:     steady(pick(short, 2*time.Second, 15*time.Second)),
		promise: promise{partial: some, reason: "More runs are open than limits.open_runs. The limit closes runs early " +
			"and says so; it drops no span."},
	}, {
		name:     "sigterm",
		settings: settings{wait: time.Hour, openRuns: 1_000_000, memoryMiB: 4096},
		load:     load{senders: 4, jobs: held/large.runs + 1, shape: large},
		play:     terminateHolding(held),
		promise: promise{partial: all, known: true, reason: "SIGTERM while anchors are held. Each is judged on what came, " +
			"marked as closed by the shutdown, and exported before the process ends."},
	}, {
		name:     "reload",
		settings: settings{wait: time.Second},
		load:     load{senders: 4, rate: 200, shape: small},
		play:     reloadOften(pick(short, 2, 8)),
		promise: promise{partial: anyNumber, duplicates: true, reason: "SIGHUP stops the pipeline as a shutdown does. What is held " +
			"goes out as partial, and so does a run that was under way. A request whose answer the restart cut off is sent again."},
	}, {
		name:     "reload-storage",
		settings: settings{wait: time.Second, storage: true},
		load:     load{senders: 4, rate: 200, shape: small},
		play:     reloadOften(pick(short, 1, 5)),
		promise: promise{partial: few, known: true, duplicates: true, reason: "The same with a storage, which keeps open runs: verdicts " +
			"are those of an undisturbed collector. An agent that only delegates may be partial: its model call may have come before its trace was stored."},
	}, {
		name:     "memory_limiter",
		settings: settings{wait: 2 * time.Second, limiterMiB: 60},
		load:     load{senders: 8, shape: large},
		play:     steady(pick(short, 3*time.Second, 15*time.Second)),
		promise:  promise{refused: true, reason: "The limiter refuses before the processor sees a span, so a refusal changes nothing."},
	}}
}

func refusingSink(short bool) []scenario {
	return []scenario{{
		name:     "refuse-queue",
		settings: settings{wait: time.Second},
		load:     load{senders: 8, rate: pick(short, 1000, 400), shape: small},
		play:     refuseMeanwhile(pick(short, time.Second, 2500*time.Millisecond), pick(short, 2*time.Second, 10*time.Second)),
		promise:  promise{reason: "The exporter's queue takes the spans and retries. Where it is full, it refuses, and senders come again."},
	}, {
		name:     "refuse-noqueue",
		settings: settings{wait: time.Second, noQueue: true, noRetry: true},
		load:     load{senders: 8, rate: 400, shape: small},
		play:     refuseMeanwhile(pick(short, time.Second, 2500*time.Millisecond), pick(short, 1500*time.Millisecond, 10*time.Second)),
		promise: promise{refused: true, reason: "The sink's refusal reaches the sender for spans that go through, and covers the whole " +
			"request. For spans that were held the processor tries again."},
	}, {
		name:     "slow",
		settings: settings{wait: time.Second},
		load:     load{senders: 8, rate: pick(short, 100, 200), shape: small},
		play: func(st *stage) {
			st.sink.delay.Store(int64(200 * time.Millisecond))
			st.pause(pick(short, 2*time.Second, 12*time.Second))
		},
		promise: promise{reason: "A slow sink fills the exporter's queue, and then refuses. Nothing is closed early for it."},
	}}
}

func storageCases(short bool) []scenario {
	// An exporter's queue in memory dies with the process, and with it what was acknowledged. So it is off where the
	// process is killed, and what is counted is the processor's part.
	killed := settings{wait: time.Second, noQueue: true}
	stored := killed
	stored.storage = true
	full := stored
	full.wait = 2 * time.Second
	return []scenario{{
		name:     "kill9-nostorage",
		settings: killed,
		load:     load{senders: 4, rate: 200, shape: small},
		play:     killAtRandom(1),
		promise: promise{loses: true, partial: anyNumber, duplicates: true, refused: true, reason: "kill -9 without a storage loses the " +
			"anchors that wait for their verdict, and what was noted of open runs: those that were under way are partial. All other spans " +
			"were at the sink before they were acknowledged."},
	}, {
		name:     "kill9-storage",
		settings: stored,
		load:     load{senders: 8, rate: 500, shape: small},
		play:     killAtRandom(pick(short, 3, 10)),
		promise: promise{partial: few, known: true, duplicates: true, refused: true, reason: "What is acknowledged is in the storage, calls " +
			"and links included. Delivery of anchors is at least once, and verdicts are those of an undisturbed collector, but for an agent that only delegates."},
	}, {
		name:     "disk-full",
		settings: full,
		load:     load{senders: 4, rate: 400, shape: small},
		fileKiB:  256,
		play:     freeTheDisk(pick(short, time.Second, 5*time.Second)),
		promise: promise{partial: few, known: true, duplicates: true, refused: true, reason: "The storage cannot grow, so a batch that it cannot take is refused as a " +
			"whole. After a kill and a restart with room all that was acknowledged is there."},
	}}
}

// fleetScenarios are those with several collectors. Their load is some 110 runs a second, each under way for up to three seconds.
// Senders begin one after the other, so that at any moment runs are at all their stages.
func fleetScenarios(short bool) []scenario {
	long := pick(short, 12*time.Second, 24*time.Second)
	moved := func(reason string) promise {
		return promise{duplicates: true, cuts: true, partial: anyNumber, reason: reason}
	}
	cases := []scenario{{
		name: "steady", play: steady(long),
		promise: promise{reason: "All spans of a trace reach one scorer, so a run is judged once and with all its calls."},
	}, {
		name: "kill-and-return", play: between(long, killInPlace),
		promise: promise{duplicates: true, reason: "A scorer is killed with kill -9 and comes back with its storage and address. Meanwhile its senders " +
			"wait. A span that it had released, but not yet struck off, comes twice."},
	}, {
		name: "kill-and-move", play: between(long, killAndMove(long/3)),
		promise: moved("The killed scorer's traces move to the others, and back when it returns. A run that was under way at either time has its calls in " +
			"two places."),
	}, {
		name: "add", play: between(long, addOne),
		promise: moved("A fourth scorer takes a quarter of the traces. Runs under way that move have their calls in two places."),
	}, {
		name: "drain", play: between(long, drainOne),
		promise: moved("The front forgets a scorer, which is stopped when its last runs have closed. Runs under way that move have their calls in two places."),
	}}
	for i := range cases {
		c := &cases[i]
		c.fleet = true
		c.settings = settings{wait: time.Second, storage: true, noQueue: true}
		c.load = load{senders: 100, rate: 100, shape: small, stagger: 4 * time.Second}
		c.grace, c.settles, c.quiet, c.bound = 40*time.Second, 4*time.Second, 16*time.Second, 4*time.Minute
	}
	return cases
}

func pick[T interface{ int | time.Duration }](short bool, less, more T) T {
	if short {
		return less
	}
	return more
}
