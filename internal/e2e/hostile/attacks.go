package main

import "slices"

// An attack is traffic that means harm, beside an honest victim.
type attack struct {
	name string
	does string // what it does, and what it aims at
	setup
	plan  func(*plan)
	short bool // a part of the short form
	// aim is a part of the reason that a run of the attacker must have. Without such a run the attack shows nothing. Empty: the
	// attack does not aim at scores.
	aim string
}

// attacks are all that run in process.
func attacks() []attack {
	return slices.Concat(
		[]attack{{name: "none", does: "nothing: the victim alone, for comparison", plan: func(*plan) {}}},
		largeResources(), longNames(), largeContent(),
		repeatedWork(), sharedKeys(),
		closings(), nestedValues(), largeOrigins(), longGroups(), comparedRuns(), comparedValues(),
		crowdsOfAgents(), crowdsOfRuns(), shapes(),
	)
}
