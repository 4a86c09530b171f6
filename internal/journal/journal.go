package journal

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// A Journal is what the processor keeps in a storage, so that open runs survive a crash. A storage has no order and no list
// of its keys. So records have numbered slots, and slots of removed records are used again.
//
// The storage is always enough to continue from. A batch adds its records before it is acknowledged. A record is removed
// only after its spans were released and its replacement was added. Replaying a record twice has no effect.
type Journal struct {
	client storage.Client
	run    agentrun.Settings

	mu    sync.Mutex // guards all below; no other package is called while it is locked
	slots slots
	// closed: nothing is written any more.
	closed bool
	// writing: a goroutine writes pending records. reserving is locked by the goroutine that reserves slots.
	writing   bool
	reserving chan struct{}
	// failures is how many writes have failed in a row.
	failures int
	// active has the batches that are not saved yet, and the writes of pending records. begun counts all of them since the
	// start.
	active map[uint64]bool
	begun  uint64
	// waiting has the records that the next write adds, and removals those that it removes.
	waiting  map[uint32]addition
	removals []removal
	// origins says which held spans refer to which shared record.
	origins references
	// resumed has the shared records that the start found, by slot, until all records are replayed. Only one goroutine uses
	// the journal until then.
	resumed map[uint32]storedOrigins
	// The queues are stored first in, first out.
	parents, mcpSpans, closedTraces, summaries fifo
}

// addition is a record that will be written.
type addition struct {
	data []byte
	// fifo is the queue of the record, if it is in one.
	fifo *fifo
	// replaces has the records that this one replaces. They are removed once it is written.
	replaces []uint32
}

// removal is a record that will be removed. It waits for the batches that were active when it was queued, because one of
// them may still write the record.
type removal struct {
	slot  uint32
	after uint64 // the number of batches that had begun
}

// Capacities are how many records each queue keeps: parent links of ordinary spans, MCP spans, closed traces and summaries
// of runs.
type Capacities struct{ Parents, MCPSpans, ClosedTraces, Summaries int }

// New returns a journal that writes with a client. The settings are those of the runs.
func New(client storage.Client, run agentrun.Settings, queues Capacities) *Journal {
	return &Journal{
		client: client, run: run, slots: slots{next: 1}, waiting: make(map[uint32]addition),
		active: make(map[uint64]bool), reserving: make(chan struct{}, 1), resumed: make(map[uint32]storedOrigins),
		parents:      fifo{most: queues.Parents},
		mcpSpans:     fifo{most: queues.MCPSpans},
		closedTraces: fifo{most: queues.ClosedTraces},
		summaries:    fifo{most: queues.Summaries},
	}
}

// BeginTx returns the transaction of a batch. It is nil if there is no storage, or if the journal was closed.
func (j *Journal) BeginTx() *Tx {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	return &Tx{journal: j, number: j.activate(), at: make(map[pcommon.TraceID]int), current: record.NewEvidence(&j.run, pcommon.TraceID{})}
}

// activate gives a number to a writer. The caller must hold mu, and must remove the number from active in the end.
func (j *Journal) activate() uint64 {
	number := j.begun
	j.active[number] = true
	j.begun++
	return number
}

// End says that the transaction will not be written any more.
func (g *Tx) End() {
	g.journal.mu.Lock()
	defer g.journal.mu.Unlock()
	delete(g.journal.active, g.number)
}

// slot returns one that is not in use.
func (j *Journal) slot() uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.slots.take()
}

// free gives back slots that were not written.
func (j *Journal) free(slots ...uint32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.slots.free(slots...)
}

// Remove has records removed with the next write.
func (j *Journal) Remove(slots ...uint32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.drop(slots...)
}

// drop removes records. One that waits to be written is not written. The caller has mu.
func (j *Journal) drop(slots ...uint32) {
	for _, slot := range slots {
		if a, waits := j.waiting[slot]; waits {
			delete(j.waiting, slot)
			j.slots.free(slot)
			j.drop(a.replaces...)
			continue
		}
		j.removals = append(j.removals, removal{slot, j.begun})
	}
}

// Add has evidence added with the next write, and those records removed then that it replaces. It returns its slot.
func (j *Journal) Add(at time.Time, evidence []byte, replaces ...uint32) uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	slot := j.slots.take()
	j.waiting[slot] = addition{data: EncodeRecord(KindEvidence, at, evidence), replaces: replaces}
	return slot
}

// addToFIFO makes a record for a queue, and removes the records that drop out of the queue.
func (j *Journal) addToFIFO(at time.Time, kind Kind, body []byte, m *fifo, load int) (uint32, addition) {
	j.mu.Lock()
	defer j.mu.Unlock()
	slot := j.slots.take()
	j.drop(m.push(slot, load)...)
	return slot, addition{data: EncodeRecord(kind, at, body), fifo: m}
}

// addToFIFOLater is addToFIFO for the next write.
func (j *Journal) addToFIFOLater(at time.Time, kind Kind, body []byte, m *fifo) {
	slot, a := j.addToFIFO(at, kind, body, m, 1)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waiting[slot] = a
}

// Save writes the transaction of a batch, with its links and the anchors that it holds. Each anchor gets the number of its
// record. If Save fails, the journal has nothing of the batch.
func (j *Journal) Save(ctx context.Context, now time.Time, g *Tx, links *lookup.ParentBatch, held []agentrun.Anchor) error {
	own := make(map[uint32]addition, len(held)+len(g.records)+1)
	sharing := j.share(held)
	if err := j.encodeHeld(own, now, held, sharing); err != nil {
		return err
	}
	for i := range g.records {
		own[g.records[i].slot] = addition{data: EncodeRecord(KindEvidence, now, g.records[i].evidence.Bytes())}
	}
	for _, span := range g.mcpSpans {
		slot, a := j.addToFIFO(now, KindMCPSpan, span, &j.mcpSpans, 1)
		own[slot] = a
	}
	if len(links.Links) > 0 {
		slot, a := j.addToFIFO(now, KindParentsByProcess, EncodeParents(links), &j.parents, len(links.Links))
		own[slot] = a
	}
	err := j.write(ctx, own)
	if err == nil {
		j.refer(sharing, held)
		return nil
	}
	for i := range held { // they are not held
		j.free(held[i].Record)
		held[i].Record = 0
	}
	for _, s := range sharing {
		j.free(s.slot)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for slot, a := range own {
		if a.fifo != nil && a.fifo.pull(slot) {
			j.slots.free(slot)
		}
	}
	return err
}

// encodeHeld makes the records of held spans and of the resources that they share.
func (j *Journal) encodeHeld(own map[uint32]addition, now time.Time, held []agentrun.Anchor, all sharedOrigins) error {
	for i := range held {
		data, err := all.encode(&held[i], now)
		if err != nil {
			return err
		}
		held[i].Record = j.slot()
		own[held[i].Record] = addition{data: data}
	}
	for _, s := range all {
		data, err := s.encode(now)
		if err != nil {
			return err
		}
		own[s.slot] = addition{data: data}
	}
	return nil
}

// vacated frees the slots of removed records. It also removes shared records whose last referring record is gone. The caller
// must hold mu.
func (j *Journal) vacated(removals []removal) {
	for _, r := range removals {
		j.slots.free(r.slot)
		if origin, last := j.origins.leave(r.slot); last {
			j.drop(origin)
		}
	}
}

// Ack acknowledges a checkpoint, and removes records that are obsolete.
func (j *Journal) Ack(now time.Time, r *agentrun.Checkpoint) {
	if j == nil {
		return
	}
	r.Ack(func(r, before *agentrun.Checkpoint) {
		old := r.Records
		if before != nil && before.RemainderRecord != 0 {
			old = append(old, before.RemainderRecord)
		}
		if r.Remainder != nil {
			r.RemainderRecord = j.Add(r.Seen, r.Remainder, old...)
			r.Remainder = nil
			return
		}
		j.Remove(old...)
		if r.Closed != nil {
			j.addToFIFOLater(now, KindClosed, r.Closed, &j.closedTraces)
		}
	})
}

// Forget removes the records of anchors that the processor does not hold after all.
func (j *Journal) Forget(anchors []agentrun.Anchor) {
	if j == nil {
		return
	}
	for i := range anchors {
		if anchors[i].Record != 0 {
			j.Remove(anchors[i].Record)
		}
	}
}

// AddSummary stores the summary of a closed run.
func (j *Journal) AddSummary(now time.Time, evidence []byte) {
	if j != nil {
		j.addToFIFOLater(now, KindSummary, evidence, &j.summaries)
	}
}

// Pending is how many records wait to be added, and how many to be removed.
func (j *Journal) Pending() (additions, removals int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.waiting), len(j.removals)
}

// Close gives the storage back.
func (j *Journal) Close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	return j.client.Close(ctx)
}
