package main

import (
	"sync"
	"time"
)

// A sentRun is an agent's trace as its sender sees it.
type sentRun struct {
	anchors     []anchor
	root        spanID
	first, last int       // the requests of its job with a part of it
	began       time.Time // before the first was sent; zero: it was not
	acked       time.Time // after the last was acknowledged; zero: it was not
}

// A ledger is what the senders know.
type ledger struct {
	mu sync.Mutex // guards what follows
	sent
}

// sent is what was sent and acknowledged.
type sent struct {
	acked   map[spanID]time.Time // every acknowledged span, and when
	runs    []*sentRun
	retries int // requests that were refused and sent again
	givenUp int // requests that were answered so that a sender drops them
	pending int // requests that were not accepted when the case ended
}

func newLedger() *ledger { return &ledger{sent: sent{acked: map[spanID]time.Time{}}} }

// begin notes the runs that begin with request k of a job.
func (l *ledger) begin(j job, k int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range j.runs {
		if r.first == k {
			r.began = now
			l.runs = append(l.runs, r)
		}
	}
}

// acknowledge notes that request k of a job was.
func (l *ledger) acknowledge(j job, k int, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range j.requests[k] {
		l.sent.acked[s.id] = now
	}
	for _, r := range j.runs {
		if r.last == k {
			r.acked = now
		}
	}
}

func (l *ledger) add(retries, givenUp, pending int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retries += retries
	l.givenUp += givenUp
	l.pending += pending
}

// look calls f with the content of the ledger, which does not change meanwhile.
func (l *ledger) look(f func(*sent)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(&l.sent)
}

// heldable are the spans that the processor may hold back: anchors, and the roots of their traces.
func (s *sent) heldable() map[spanID]struct{} {
	spans := map[spanID]struct{}{}
	for _, r := range s.runs {
		spans[r.root] = struct{}{}
		for _, a := range r.anchors {
			spans[a.id] = struct{}{}
		}
	}
	return spans
}

// missing is how many acknowledged spans have not arrived.
func (s *sent) missing(a arrivals) (n int) {
	for id := range s.acked {
		if a.times[id] == 0 {
			n++
		}
	}
	return n
}
