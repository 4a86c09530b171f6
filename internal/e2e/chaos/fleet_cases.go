package main

import (
	"context"
	"time"
)

// A fleetCase is a fleet, a load, changes of the fleet, and the laws that must still hold.
type fleetCase struct {
	name     string
	members  int
	settings settings
	load     load
	route    route
	static   bool          // scorers are static members of their consumer group
	quiet    time.Duration // if nothing arrives for this time, nothing will
	play     func(context.Context, *fleet) error
	promise  fleetPromise
}

// A route says by what a balancer chooses a scorer.
type route struct {
	key, attributes string // as load_balancing says them
	statement       string // of a transform processor in front
}

// A fleetPromise is what a case must keep. In every case every run is judged, and each collector ends cleanly.
type fleetPromise struct {
	loses      bool // acknowledged spans may be lost: the case shows a limit
	twice      bool // runs may be judged twice
	incomplete bool // verdicts may say complete=false
	torn       bool // verdicts may be wrong on runs around the change
	anywhere   bool // verdicts may be wrong on any run: the case shows a limit
	reason     string
}

var byTrace = route{key: "traceID"}

// stored are scorers with a storage.
func stored() settings { return settings{wait: time.Second, storage: true} }

// steadyLoad is some 110 runs a second, each under way for up to three seconds. Senders begin one after the other, so that at
// any moment runs are at all their stages.
func steadyLoad() load {
	return load{senders: 100, rate: 100, shape: small, stagger: 4 * time.Second}
}

func fleetCases(short bool) []fleetCase {
	long := pick(short, 12*time.Second, 24*time.Second)
	cases := []fleetCase{
		{name: "steady", play: lasting(long), promise: fleetPromise{reason: "All spans of a trace reach one scorer, so a run is judged once " +
			"and with all its calls."}},
		{name: "kill-and-return", play: killInPlace(long), promise: fleetPromise{twice: true, reason: "A scorer is killed with kill -9 and comes " +
			"back with its storage and address. Meanwhile its senders wait. A span that it had released, but not yet struck off, comes twice."}},
		{name: "kill-and-move", play: killAndMove(long), promise: fleetPromise{twice: true, torn: true, incomplete: true, reason: "The killed " +
			"scorer's traces move to the others, and back when it returns. A run that was under way at either time has its calls in two places."}},
		{name: "add", play: addOne(long), promise: fleetPromise{twice: true, torn: true, incomplete: true, reason: "A fourth scorer takes a " +
			"quarter of the traces. Runs under way that move have their calls in two places. The new scorer knows that they began before it did."}},
		{name: "drain", play: drainOne(long), promise: fleetPromise{twice: true, torn: true, incomplete: true, reason: "The front forgets a scorer, " +
			"which is stopped when its last runs have closed. Runs under way that move have their calls in two places."}},
	}
	for i := range cases {
		cases[i].route = byTrace
		cases[i].load = steadyLoad()
	}
	cases = append(cases, conversationCases(long)...)
	cases = append(cases, fleetCase{name: "saturated", route: byTrace, load: load{senders: 4, shape: large}, play: lasting(long / 3),
		promise: fleetPromise{reason: "As many spans as the senders can make, in requests of 250: for the CPU's sake. Nothing is torn."}})
	return withDefaults(cases)
}

// conversationCases route by an attribute, with what goes wrong where spans lack it.
func conversationCases(long time.Duration) []fleetCase {
	const key, either = "attributes", "routing_attributes: [gen_ai.conversation.id, routing.key]"
	byConversation := route{key: key, attributes: "routing_attributes: [gen_ai.conversation.id]"}
	fallback := route{key: key, attributes: either,
		statement: `'set(span.attributes["routing.key"], span.trace_id.string) where span.attributes["gen_ai.conversation.id"] == nil'`}
	everywhere, agents := steadyLoad(), steadyLoad()
	everywhere.shape.conversation, agents.shape.conversation = onEverySpan, onAgents
	ordinary := everywhere
	ordinary.shape.ordinary = 16
	cases := []fleetCase{
		{name: "conversation-everywhere", load: everywhere, route: fallback, promise: fleetPromise{reason: "Each span of an agent's trace has the " +
			"conversation. Ordinary traces have the fallback, their trace ID."}},
		{name: "conversation-no-fallback", load: ordinary, route: byConversation, promise: fleetPromise{reason: "Without a fallback all spans " +
			"that have no conversation reach one scorer. Verdicts are right, and the load is not spread."}},
		{name: "conversation-on-agents", load: agents, route: fallback, promise: fleetPromise{anywhere: true, incomplete: true, reason: "Only agents' " +
			"spans have the conversation, so the calls are at another scorer. Such a fleet must not be."}},
	}
	for i := range cases {
		cases[i].play = lasting(long / 2)
	}
	return cases
}

func kafkaCases(short bool) []fleetCase {
	long := pick(short, 12*time.Second, 24*time.Second)
	cases := []fleetCase{
		{name: "kafka-steady", play: lasting(long), promise: fleetPromise{reason: "The key of a message is its trace ID, so all spans of a trace are " +
			"in one partition, which one scorer reads."}},
		{name: "kafka-kill-static", static: true, play: killInPlace(long), promise: fleetPromise{twice: true, reason: "A killed scorer that returns " +
			"as the same member before its session ends keeps its partitions. What it had not committed it reads again, and knows it."}},
		{name: "kafka-kill-no-storage", static: true, play: killInPlace(long), promise: fleetPromise{loses: true, twice: true, incomplete: true,
			torn: true, reason: "The same without a storage: offsets of spans that wait in memory were committed, and they are lost."}},
		{name: "kafka-rebalance", play: addOne(long), promise: fleetPromise{twice: true, torn: true, incomplete: true, reason: "A fourth scorer joins, " +
			"and partitions move. Runs under way in those have their calls in two places."}},
		{name: "kafka-drain", play: drainOne(long), promise: fleetPromise{twice: true, torn: true, incomplete: true, reason: "A scorer leaves the " +
			"group with SIGTERM. Its runs close early, and what it had not committed is read by others."}},
	}
	for i := range cases {
		cases[i].load = steadyLoad()
	}
	cases = withDefaults(cases)
	cases[2].settings.storage = false
	return cases
}

func withDefaults(cases []fleetCase) []fleetCase {
	for i := range cases {
		cases[i].members, cases[i].settings, cases[i].quiet = 3, stored(), 4*time.Second
	}
	return cases
}

func lasting(d time.Duration) func(context.Context, *fleet) error {
	return func(ctx context.Context, f *fleet) error {
		if err := sleep(ctx, d); err != nil {
			return err
		}
		return f.finish(ctx)
	}
}

// between does something in the middle of a load.
func between(d time.Duration, do func(context.Context, *fleet) error) func(context.Context, *fleet) error {
	return func(ctx context.Context, f *fleet) error {
		if err := sleep(ctx, d/3); err != nil {
			return err
		}
		if err := do(ctx, f); err != nil {
			return err
		}
		return lasting(d/3)(ctx, f)
	}
}

func killInPlace(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		return f.during(func() error {
			victim := f.scorers[f.rng.IntN(len(f.scorers))]
			if err := victim.kill(); err != nil {
				return err
			}
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
			return victim.startWithin(ctx, 0, fleetStart)
		})
	})
}

func killAndMove(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		victim := f.scorers[f.rng.IntN(len(f.scorers))]
		victim.out = true
		err := f.during(func() error {
			if err := victim.kill(); err != nil {
				return err
			}
			return f.reroute(ctx)
		})
		if err != nil {
			return err
		}
		if err := sleep(ctx, d/3); err != nil {
			return err
		}
		victim.out = false
		return f.during(func() error {
			if err := victim.startWithin(ctx, 0, fleetStart); err != nil {
				return err
			}
			return f.reroute(ctx)
		})
	})
}

func addOne(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		return f.during(func() error {
			if err := f.add(ctx); err != nil {
				return err
			}
			if f.broker != nil {
				return f.assigned(ctx, len(f.scorers))
			}
			return f.reroute(ctx)
		})
	})
}

func drainOne(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		victim := f.scorers[0]
		if f.broker != nil { // a member leaves when it ends
			return f.during(func() error {
				if err := victim.terminate(); err != nil {
					return err
				}
				return f.assigned(ctx, len(f.scorers)-1)
			})
		}
		victim.out = true
		if err := f.during(func() error { return f.reroute(ctx) }); err != nil {
			return err
		}
		// Its runs close: run.wait, and what a busy machine adds.
		if err := sleep(ctx, f.settings.wait+slack); err != nil {
			return err
		}
		return victim.terminate()
	})
}
