package processor

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// journal is what the processor keeps in a storage, so that open runs survive a crash. A storage has no order and no
// list of its keys, so entries stand in slots that are counted up, and those that were removed are used again.
//
// What is in the storage is always enough to go on from: a batch adds its entries before it is acknowledged, and an
// entry is removed after all that it tells of was released. What is told twice does no harm.
type journal struct {
	client storage.Client
	run    agentrun.Settings

	mu sync.Mutex // guards all below; nothing is called out under it
	// next is the lowest slot that was never used, unused are removed ones. No slot from reserved on is in the storage.
	// They begin at 1, because 0 says that there is none.
	next, reserved uint32
	unused         []uint32
	closed         bool
	// writing: somebody writes what waited. reserving is for whoever reserves slots.
	writing   bool
	reserving chan struct{}
	// active are the batches that have not been saved, and begun is how many there ever were.
	active map[uint64]bool
	begun  uint64
	// removals wait for the batches that were active when they came: one of those may still write the entry.
	removals []removal
	// additions wait for the next commit.
	additions []addition
	// The memories are stored first in, first out.
	links                          queue
	echoes, closedTraces, outlines queue
}

type removal struct {
	slot  uint32
	after uint64 // the number of batches that had begun
}

type addition struct {
	slot uint32
	data []byte
}

// queue is the slots of a memory that forgets what is oldest.
type queue struct {
	slots []queued
	load  int
	most  int // the load that is remembered
}

type queued struct {
	slot uint32
	load int
}

// push returns the slots that are forgotten for the new one.
func (q *queue) push(slot uint32, load int) (forgotten []uint32) {
	q.slots = append(q.slots, queued{slot, load})
	q.load += load
	for q.load-q.slots[0].load >= q.most {
		q.load -= q.slots[0].load
		forgotten = append(forgotten, q.slots[0].slot)
		q.slots = q.slots[1:]
	}
	return forgotten
}

// slotsKey holds how many slots may be in use, in four bytes, little endian.
const slotsKey = "slots"

// slotsStep is how many slots are reserved at once. Fewer would be more writes, more a longer look at the start.
const slotsStep = 4096

// newJournal returns the journal of a processor whose ring holds so many links.
func newJournal(client storage.Client, run agentrun.Settings, links int) *journal {
	return &journal{
		client: client, run: run, next: 1, active: make(map[uint64]bool), reserving: make(chan struct{}, 1),
		links:        queue{most: links},
		echoes:       queue{most: agentrun.MaxEchoes},
		closedTraces: queue{most: run.MaxClosed * shardCount},
		outlines:     queue{most: agentrun.MaxOutlines},
	}
}

// begin returns the page of a batch. It is nil if there is no storage, or not any more.
func (j *journal) begin() *page {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	g := &page{journal: j, number: j.begun, at: make(map[pcommon.TraceID]int), told: agentrun.NewEvidence(&j.run, pcommon.TraceID{})}
	j.active[g.number] = true
	j.begun++
	return g
}

// end says that the page will not be written any more.
func (g *page) end() {
	if g == nil {
		return
	}
	g.journal.mu.Lock()
	defer g.journal.mu.Unlock()
	delete(g.journal.active, g.number)
}

// slot returns one that is not in use.
func (j *journal) slot() uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.unusedSlot()
}

func (j *journal) unusedSlot() uint32 {
	if n := len(j.unused); n > 0 {
		slot := j.unused[n-1]
		j.unused = j.unused[:n-1]
		return slot
	}
	j.next++
	return j.next - 1
}

// free gives back a slot that was not written.
func (j *journal) free(slot uint32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.unused = append(j.unused, slot)
}

// remove has entries removed with the next write.
func (j *journal) remove(slots ...uint32) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.removeLater(slots...)
}

func (j *journal) removeLater(slots ...uint32) {
	for _, slot := range slots {
		j.removals = append(j.removals, removal{slot, j.begun})
	}
}

// memorise makes an entry for a memory, and has those removed that are forgotten for it.
func (j *journal) memorise(at time.Time, kind kind, body []byte, memory *queue, load int) addition {
	j.mu.Lock()
	defer j.mu.Unlock()
	slot := j.unusedSlot()
	j.removeLater(memory.push(slot, load)...)
	return addition{slot, encodeEntry(kind, at, body)}
}

// addition has an entry added with the next write, and returns its slot.
func (j *journal) addition(at time.Time, kind kind, body []byte) uint32 {
	slot := j.slot()
	j.later(addition{slot, encodeEntry(kind, at, body)})
	return slot
}

// later has an entry added with the next write.
func (j *journal) later(a addition) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.additions = append(j.additions, a)
}

// save writes the page of a batch, with its links and the anchors that it holds. Each anchor learns its entry,
// which is to be forgotten if this fails.
func (j *journal) save(ctx context.Context, now time.Time, g *page, links *linkBatch, held []agentrun.Anchor) error {
	var additions []addition
	for i := range held {
		body, err := encodeAnchor(&held[i])
		if err != nil {
			return err
		}
		held[i].Entry = j.slot()
		additions = append(additions, addition{held[i].Entry, encodeEntry(kindAnchor, now, body)})
	}
	for i := range g.drafts {
		additions = append(additions, addition{g.drafts[i].slot, encodeEntry(kindEvidence, now, g.drafts[i].evidence.Bytes())})
	}
	for _, echo := range g.echoes {
		additions = append(additions, j.memorise(now, kindEcho, echo, &j.echoes, 1))
	}
	if len(links.links) > 0 {
		additions = append(additions, j.memorise(now, kindLinks, encodeLinks(links), &j.links, len(links.links)))
	}
	return j.write(ctx, additions)
}

// meet counts a claim as met, and forgets what nobody needs any more.
func (j *journal) meet(now time.Time, r *agentrun.Receipt) {
	if j == nil {
		return
	}
	r.Meet(func(r, before *agentrun.Receipt) {
		j.remove(r.Entries...)
		if before != nil && before.Left != nil {
			j.remove(before.Place)
		}
		switch {
		case r.Left != nil:
			r.Place = j.addition(now, kindEvidence, r.Left)
			r.Left = []byte{} // stored, and not nil
		case r.Closed != nil:
			j.later(j.memorise(now, kindClosed, r.Closed, &j.closedTraces, 1))
		}
	})
}

// close gives the storage back.
func (j *journal) close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	return j.client.Close(ctx)
}

// errStorage is retryable: the caller keeps its spans and comes again.
var errStorage = errors.New("the storage did not take what has to survive a crash")
