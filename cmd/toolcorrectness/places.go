package main

import (
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A place is where a trace begins: the number of its file, and how many traces came before it.
type place struct{ file, position int }

// places remembers where traces begin, in bounded memory: the traces that were seen last. A forgotten trace begins again.
type places struct {
	seed       maphash.Seed
	young, old map[uint64]place // by the hash of the trace's id
	traces     int
	bound      int // of each map
	last       int // the file that was read last
}

// maxPlaces is how many traces are remembered at least.
const maxPlaces = 300_000

func newPlaces(bound int) places {
	return places{seed: maphash.MakeSeed(), young: map[uint64]place{}, bound: bound}
}

// see records that a span of a trace is in a file.
func (p *places) see(trace pcommon.TraceID, file int) {
	p.last = file
	key := maphash.Bytes(p.seed, trace[:])
	if _, seen := p.young[key]; seen {
		return
	}
	where, seen := p.old[key]
	if !seen {
		where = place{file, p.traces}
		p.traces++
	}
	if len(p.young) == p.bound {
		p.old, p.young = p.young, map[uint64]place{}
	}
	p.young[key] = where
}

// of returns the place of a trace. A forgotten trace begins where the reader is.
func (p *places) of(trace pcommon.TraceID) place {
	key := maphash.Bytes(p.seed, trace[:])
	if where, known := p.young[key]; known {
		return where
	}
	if where, known := p.old[key]; known {
		return where
	}
	return place{p.last, p.traces}
}
