package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// Each run is in one class, whatever came for it, and what must not be breaks the promise.
func TestFleetTally(t *testing.T) {
	want := verdict{score: 1, passed: true, called: "a", complete: true}
	early := verdict{score: 0, called: "", complete: false}
	other := verdict{score: 0, called: "", complete: true}
	change := []fault{{epoch.Add(10 * time.Second), epoch.Add(11 * time.Second)}}
	for _, tc := range []struct {
		name     string
		came     []verdict
		underWay bool
		class    func(fleetTally) int
		broken   string
		reason   string
	}{
		{"right", []verdict{want}, false, func(t fleetTally) int { return t.once }, "", "one verdict, as known beforehand"},
		{"twice", []verdict{want, want}, false, func(t fleetTally) int { return t.twice }, "1 runs were judged twice", "a copy came"},
		{"incomplete", []verdict{early}, false, func(t fleetTally) int { return t.incomplete }, "1 verdicts are incomplete", "it says so"},
		{"torn", []verdict{other}, true, func(t fleetTally) int { return t.torn }, "1 verdicts are wrong around", "it was under way"},
		{"wrong", []verdict{other}, false, func(t fleetTally) int { return t.wrong }, "1 verdicts are wrong elsewhere", "nothing happened then"},
		{"none", nil, false, func(t fleetTally) int { return t.unjudged }, "1 runs were not judged", "its span came without a verdict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			id := spanID{trace: [16]byte{1}, span: [8]byte{2}}
			began := epoch
			if tc.underWay {
				began = epoch.Add(9 * time.Second)
			}
			s := newLedger().sent
			s.acked[id] = began
			s.runs = []*sentRun{{anchors: []anchor{{id, want}}, root: id, began: began, acked: began.Add(2 * time.Second)}}
			a := newArrivals()
			a.times[id], a.verdicts[id] = max(1, len(tc.came)), tc.came
			got := countFleet(&s, a, change, 0)
			if tc.class(got) != 1 || got.runs != 1 || got.lost != 0 {
				t.Errorf("countFleet = %+v: %s", got, tc.reason)
			}
			broken := brokenFleet(fleetPromise{}, got, &s)
			if (tc.broken == "") != (len(broken) == 0) || !strings.HasPrefix(strings.Join(broken, ""), tc.broken) {
				t.Errorf("brokenFleet = %q, want %q: %s", broken, tc.broken, tc.reason)
			}
		})
	}
}

// The conversation is on the spans that the shape says, and the spans are otherwise the same.
func TestConversationsAreMarked(t *testing.T) {
	plain := shape{runs: 3, ordinary: 1, requests: 2}
	marked := func(c spread) (agents, others int) {
		s := plain
		s.conversation = c
		j, base := makeJob(1, 1, s), makeJob(1, 1, plain)
		for k := range j.requests {
			for i, sp := range j.requests[k] {
				if sp.conversation != "" && sp.operation == "invoke_agent" {
					agents++
				} else if sp.conversation != "" {
					others++
				}
				sp.conversation = ""
				if sp != base.requests[k][i] {
					t.Errorf("%v, want %v", sp, base.requests[k][i])
				}
			}
		}
		return agents, others
	}
	none, _ := marked(onNoSpan)
	agents, alone := marked(onAgents)
	all, others := marked(onEverySpan)
	if none != 0 || agents < 3 || alone != 0 || all != agents || others == 0 {
		t.Errorf("marked: none %d; on agents %d and %d; everywhere %d and %d", none, agents, alone, all, others)
	}
}

// Every case has a name of its own, a play, and a reason.
func TestFleetCasesSayWhy(t *testing.T) {
	var names []string
	for _, c := range slices.Concat(fleetCases(true), kafkaCases(true)) {
		if c.name == "" || slices.Contains(names, c.name) || c.play == nil || c.promise.reason == "" || c.members != 3 {
			t.Errorf("the case %q is not whole", c.name)
		}
		names = append(names, c.name)
	}
}
