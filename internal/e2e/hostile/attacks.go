package main

import "slices"

// An attack is traffic that means harm, beside an honest victim.
type attack struct {
	name string
	does string // what it does, and what it aims at
	setup
	plan  func(*plan)
	short bool // a part of the short form
}

// attacks are all that run in process.
func attacks() []attack {
	return slices.Concat(
		[]attack{{name: "none", does: "nothing: the victim alone, for comparison", plan: func(*plan) {}}},
		largeResources(), longNames(), largeContent(),
		repeatedWork(), sharedKeys(),
		closings(), longGroups(), comparedRuns(), comparedValues(),
		crowdsOfAgents(), crowdsOfRuns(), shapes(),
	)
}
