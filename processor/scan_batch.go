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
	// tx is what is stored of it, nil where nothing is.
	tx *journal.Tx
}

// batches saves the garbage of batches: every one of ordinary traces has links, and candidates, its roots.
var batches = sync.Pool{New: func() any { return &batch{Batch: scan.NewBatch()} }}

// free keeps the memory of a batch for the next one.
func (b *batch) free() {
	b.Reset()
	*b = batch{
		Batch: b.Batch, held: heldspans.Taken{Anchors: scan.Emptied(b.held.Anchors)}, sightings: scan.Emptied(b.sightings), room: scan.Emptied(b.room),
	}
	batches.Put(b)
}
