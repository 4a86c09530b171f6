package processor

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
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

func newJournal(client storage.Client, run agentrun.Settings) *journal {
	return &journal{
		client: client, run: run, active: make(map[uint64]bool), reserving: make(chan struct{}, 1),
		links:        queue{most: linkSlots},
		echoes:       queue{most: agentrun.MaxEchoes},
		closedTraces: queue{most: rememberedTraces * shardCount},
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

// later has an entry added with the next write.
func (j *journal) later(a addition) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.additions = append(j.additions, a)
}

// save writes the page of a batch, with its links and the anchors that it holds. Each anchor learns its entry.
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
	err := j.write(ctx, additions)
	if err != nil {
		for i := range held { // nobody holds them now, whether they were written or not
			j.remove(held[i].Entry)
		}
	}
	return err
}

// commit writes what waits for it.
func (j *journal) commit(ctx context.Context) error {
	if j == nil {
		return nil
	}
	return j.write(ctx, nil)
}

// write brings the storage up to date in one batch, with what waits for it. If that fails, what waited waits on.
func (j *journal) write(ctx context.Context, own []addition) error {
	waiting, removals, taken := j.takeWaiting()
	if taken {
		defer j.written()
	}
	if len(own)+len(waiting)+len(removals) == 0 {
		return nil
	}
	operations := make([]*storage.Operation, 0, len(own)+len(waiting)+len(removals))
	for _, additions := range [...][]addition{own, waiting} {
		for _, a := range additions {
			operations = append(operations, storage.SetOperation(keyOfSlot(a.slot), a.data))
		}
	}
	for _, r := range removals {
		operations = append(operations, storage.DeleteOperation(keyOfSlot(r.slot)))
	}
	err := j.reserve(ctx)
	if err == nil {
		err = j.client.Batch(ctx, operations...)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.additions = append(waiting, j.additions...)
		j.removals = append(removals, j.removals...)
		return fmt.Errorf("%w: %w", errStorage, err)
	}
	for _, r := range removals {
		j.unused = append(j.unused, r.slot)
	}
	return nil
}

// reserve sees to it that all slots in use are found after a crash. One reserves at a time, so that the number in the
// storage only grows.
func (j *journal) reserve(ctx context.Context) error {
	if _, needed := j.toReserve(); !needed {
		return nil
	}
	select {
	case j.reserving <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-j.reserving }()
	upTo, needed := j.toReserve()
	if !needed {
		return nil
	}
	if err := j.client.Set(ctx, slotsKey, binary.LittleEndian.AppendUint32(nil, upTo)); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.reserved = upTo
	return nil
}

// toReserve is how many slots are to be reserved, if any are.
func (j *journal) toReserve() (upTo uint32, needed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return (j.next + slotsStep - 1) / slotsStep * slotsStep, j.next > j.reserved
}

// written lets the next one write what waits.
func (j *journal) written() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writing = false
}

// takeWaiting takes the additions and those removals that no active batch can undo. It takes nothing while somebody
// else writes what waited, because writes may overtake each other.
func (j *journal) takeWaiting() (additions []addition, removals []removal, taken bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writing {
		return nil, nil, false
	}
	j.writing = true
	oldest := j.begun
	for number := range j.active {
		oldest = min(oldest, number)
	}
	kept := j.removals[:0:0]
	for _, r := range j.removals {
		if r.after <= oldest {
			removals = append(removals, r)
		} else {
			kept = append(kept, r)
		}
	}
	additions, j.additions, j.removals = j.additions, nil, kept
	return additions, removals, true
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
			r.Place = j.slot()
			j.later(addition{r.Place, encodeEntry(kindEvidence, now, r.Left)})
			r.Left = []byte{} // stored, and not nil
		case r.Closed != nil:
			j.later(j.memorise(now, kindClosed, r.Closed, &j.closedTraces, 1))
		}
	})
}

// close writes what waits, and gives the storage back.
func (j *journal) close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	return errors.Join(j.commit(ctx), j.client.Close(ctx))
}

// errStorage is retryable: the caller keeps its spans and comes again.
var errStorage = errors.New("the storage did not take what has to survive a crash")

// found is what stands in a slot.
type found struct {
	slot uint32
	data []byte
}

// read returns what stands in the next slotsAtOnce slots.
func (j *journal) read(ctx context.Context, from uint32) ([]found, error) {
	operations := make([]*storage.Operation, slotsAtOnce)
	for i := range operations {
		operations[i] = storage.GetOperation(keyOfSlot(from + uint32(i)))
	}
	if err := j.client.Batch(ctx, operations...); err != nil {
		return nil, err
	}
	var all []found
	for i, o := range operations {
		if len(o.Value) > 0 {
			all = append(all, found{from + uint32(i), o.Value})
		}
	}
	return all, nil
}

// vacate makes slots that are not used free, and reserves no more than are needed.
func (j *journal) vacate(ctx context.Context, used map[uint32]bool) error {
	for slot := range used {
		j.next = max(j.next, slot+1)
	}
	for slot := j.next; slot > 0; slot-- { // the lowest is to be used first
		if !used[slot-1] {
			j.unused = append(j.unused, slot-1)
		}
	}
	j.reserved = 0
	if j.next == 0 {
		return nil
	}
	return j.reserve(ctx)
}

// moveAside puts what stands in a slot under another key, where nobody reads it.
func (j *journal) moveAside(ctx context.Context, slot uint32) error {
	key := keyOfSlot(slot)
	data, err := j.client.Get(ctx, key)
	if err != nil {
		return err
	}
	err = j.client.Batch(ctx, storage.SetOperation("corrupt-"+key, data), storage.DeleteOperation(key))
	if err == nil {
		j.remove(slot)
	}
	return err
}
