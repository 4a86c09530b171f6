package processor

import (
	"sync"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// batch is what one ConsumeTraces call found in its traces, and did with it.
type batch struct {
	scan.Batch
	// late has, for each late call, how long after the closing of its run it arrived.
	late      []time.Duration
	held      heldspans.Taken
	sightings []lookup.Sighting
	room      []byte // for reading resources
	// tx has the records of the batch. It is nil if nothing is stored.
	tx *journal.Tx
}

// batches has batches whose memory is used again: even a batch of ordinary spans needs room for links, and for roots as
// candidates.
var batches = sync.Pool{New: func() any { return &batch{Batch: scan.NewBatch()} }}

// free keeps the memory of a batch for the next one.
func (b *batch) free() {
	b.Reset()
	*b = batch{
		Batch: b.Batch, held: heldspans.Taken{Anchors: scan.Emptied(b.held.Anchors)}, sightings: scan.Emptied(b.sightings), room: scan.Emptied(b.room),
	}
	batches.Put(b)
}
