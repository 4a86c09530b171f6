package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// ErrStorage is retryable: the sender keeps its spans and sends them again.
var ErrStorage = errors.New("the storage did not take what has to survive a crash")

var errClosed = errors.New("the journal is closed")

const (
	// removalsAtOnce bounds how many pending records are removed in one step, because a sender may wait for it.
	removalsAtOnce = 1024
	// slotsReserved is how many slots are reserved at once. Fewer would be more writes, more a longer look at the start.
	slotsReserved = 4096
	// slotsAtOnce is how many slots are read in one step. If it is unknown where records are, the search ends after slotsBeyond empty
	// slots in a row.
	slotsAtOnce = 256
	slotsBeyond = 4 * slotsReserved
)

// A Journal keeps records in a storage. Its methods may be called by several goroutines at once. Remove, Commit and Close of a nil
// Journal do nothing.
//
// A storage is a map without order and without a list of its keys. So each record has a slot, a number that no record had before, and one
// more record says between which numbers a start must look. A write that fails may have reached the storage or not: its records are
// removed later. Because no slot is used again, a removal may come late, or twice. A full storage refuses to add, but may still remove,
// so a failed write tries to remove what it can.
type Journal struct {
	client storage.Client
	// taking is locked while slots are taken, so that they are in order, and the stored number only grows.
	taking sync.Mutex

	mu sync.Mutex // guards all below; the client is never called while it is locked
	// first is the lowest slot that may have a record, and live says for each slot from it on whether it may have one.
	first Slot
	live  []bool
	// aside has the slots of records that could not be read when the journal was loaded, and stay. One that stays for long must not keep
	// first where it is.
	aside []Slot
	// reserved is the lowest slot at which a start does not look, so none from it on has a record.
	reserved Slot
	// pending has the slots whose removal was asked for, unless it is under way.
	pending []Slot
	closed  bool
}

// New returns a journal that writes with a client. If there may be records, the caller loads them first.
func New(client storage.Client) *Journal { return &Journal{client: client, first: 1} }

// Write adds and removes records in one step: all or nothing. It returns the slots of the added records, in order.
//
// Pending removals go along. If Write fails, nothing was added, and the caller still has the records that it wanted to
// remove: it may remove them with another record that replaces them. The error is an [ErrStorage].
func (j *Journal) Write(ctx context.Context, at time.Time, add [][]byte, remove []Slot) ([]Slot, error) {
	added, err := j.take(ctx, len(add))
	if err == nil {
		err = j.try(ctx, at, added, add, remove)
	}
	if err == nil {
		return added, nil
	}
	if ctx.Err() == nil { // a sender that gave up is no fault of the storage
		_ = j.try(ctx, time.Time{}, nil, nil, nil)
	}
	return nil, fmt.Errorf("%w: %w", ErrStorage, err)
}

// Remove has records removed with the next Write or Commit. They stay pending until that succeeds.
func (j *Journal) Remove(slots ...Slot) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append(j.pending, slots...)
}

// Commit removes the pending records, except those that another goroutine is removing. The error is an [ErrStorage].
func (j *Journal) Commit(ctx context.Context) error {
	if j == nil {
		return nil
	}
	for {
		j.mu.Lock()
		done := j.closed || len(j.pending) == 0
		j.mu.Unlock()
		if done {
			return nil
		}
		if err := j.try(ctx, time.Time{}, nil, nil, nil); err != nil {
			return fmt.Errorf("%w: %w", ErrStorage, err)
		}
	}
}

// Close gives the storage back. Nothing is written any more; the caller has committed.
func (j *Journal) Close(ctx context.Context) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	closed := j.closed
	j.closed = true
	j.mu.Unlock()
	if closed {
		return nil
	}
	return j.client.Close(ctx)
}

// take chooses slots for records to add. A start after a crash finds them.
func (j *Journal) take(ctx context.Context, n int) ([]Slot, error) {
	j.taking.Lock()
	defer j.taking.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	next := j.first + Slot(len(j.live))
	if end := next + Slot(n); n > 0 && end > j.reserved {
		end = (end + slotsReserved) / slotsReserved * slotsReserved
		if err := j.reserve(ctx, end); err != nil {
			return nil, err
		}
		j.reserved = end
	}
	slots := make([]Slot, n)
	for i := range slots {
		slots[i] = next + Slot(i)
		j.live = append(j.live, true)
	}
	return slots, nil
}

// reserve stores that a start must look at all slots below end. The caller must hold mu, which is unlocked meanwhile.
func (j *Journal) reserve(ctx context.Context, end Slot) error {
	if j.closed {
		return errClosed
	}
	bounds := encodeBounds(j.first, end, j.aside)
	j.mu.Unlock()
	defer j.mu.Lock()
	return j.client.Batch(ctx, storage.SetOperation(SlotsKeys[0], bounds), storage.SetOperation(SlotsKeys[1], bounds))
}

// try has the storage add and remove records, all of it or nothing. Pending removals go along, as many as a sender can wait for.
func (j *Journal) try(ctx context.Context, at time.Time, added []Slot, bodies [][]byte, remove []Slot) error {
	j.mu.Lock()
	closed, n := j.closed, min(len(j.pending), removalsAtOnce)
	pending := slices.Clone(j.pending[:n])
	j.pending = slices.Delete(j.pending, 0, n)
	j.mu.Unlock()
	removed := slices.Concat(remove, pending)
	operations := make([]*storage.Operation, 0, len(added)+len(removed))
	for i, slot := range added {
		operations = append(operations, storage.SetOperation(KeyOfSlot(slot), encodeRecord(at, bodies[i])))
	}
	for _, slot := range removed {
		operations = append(operations, storage.DeleteOperation(KeyOfSlot(slot)))
	}
	if len(operations) == 0 {
		return nil
	}
	err := errClosed
	if !closed {
		err = j.client.Batch(ctx, operations...)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		j.vacate(removed)
		return nil
	}
	j.pending = slices.Concat(j.pending, pending, added) // the storage may have added the records
	return err
}

// vacate notes that slots have no record. The caller must hold mu.
func (j *Journal) vacate(slots []Slot) {
	j.aside = slices.DeleteFunc(j.aside, func(slot Slot) bool { return slices.Contains(slots, slot) })
	for _, slot := range slots {
		if at := slot - j.first; at < Slot(len(j.live)) { // others were set aside, before or behind
			j.live[at] = false
		}
	}
	for len(j.live) > 0 && !j.live[0] {
		j.first, j.live = j.first+1, j.live[1:]
	}
}

// Load reads all records, in the order of their slots. It comes before everything else that uses the journal. damaged is
// called for each slot whose record cannot be read, with an [ErrVersion] or an [ErrCorrupt]. It may quarantine or remove the
// slot. It is called for slot 0 if what says where the records are cannot be read, so that some may not be found.
func (j *Journal) Load(ctx context.Context, damaged func(slot Slot, why error)) (all []Record, err error) {
	known, broken := false, false
	var aside []Slot
	for _, key := range SlotsKeys {
		stored, err := j.client.Get(ctx, key)
		if err != nil {
			return nil, err
		}
		if first, reserved, others, ok := decodeBounds(stored); ok {
			j.first, j.reserved, aside, known = first, reserved, others, true
		}
		broken = broken || len(stored) > 0
	}
	if broken && !known {
		damaged(0, fmt.Errorf("%w: both copies of the bounds are damaged", ErrCorrupt))
	}
	behind := j.first // the slot after the last one in order that has something
	look := func(slots []Slot) error {
		operations := make([]*storage.Operation, len(slots))
		for i, slot := range slots {
			operations[i] = storage.GetOperation(KeyOfSlot(slot))
		}
		if err := j.client.Batch(ctx, operations...); err != nil {
			return err
		}
		for i, o := range operations {
			if len(o.Value) == 0 {
				continue
			}
			r, err := decodeRecord(o.Value)
			r.Slot = slots[i]
			at := r.Slot - j.first
			inOrder := at < Slot(len(j.live)) // else another version had set it aside
			if inOrder {
				behind, j.live[at] = r.Slot+1, err == nil
			}
			if err != nil || !inOrder {
				j.aside = append(j.aside, r.Slot)
			}
			if err != nil {
				damaged(r.Slot, err)
			} else {
				all = append(all, r)
			}
		}
		return nil
	}
	for slot := j.first; slot < j.reserved || !known && slot < behind+slotsBeyond; slot += slotsAtOnce {
		some := make([]Slot, slotsAtOnce)
		for i := range some {
			some[i] = slot + Slot(i)
		}
		j.live = append(j.live, make([]bool, slotsAtOnce)...)
		if err := look(some); err != nil {
			return nil, err
		}
	}
	aside = slices.DeleteFunc(aside, func(slot Slot) bool { return slot-j.first < Slot(len(j.live)) }) // these were read
	for some := range slices.Chunk(aside, slotsAtOnce) {
		if err := look(some); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b Record) int { return cmp.Compare(a.Slot, b.Slot) })
	j.live = j.live[:behind-j.first] // the next record comes behind the last one
	j.vacate(nil)
	return all, nil
}

// Quarantine moves the content of a slot to another key, which the journal never reads.
func (j *Journal) Quarantine(ctx context.Context, slot Slot) error {
	if slot == 0 {
		return nil
	}
	key := KeyOfSlot(slot)
	data, err := j.client.Get(ctx, key)
	if err != nil {
		return err
	}
	if err = j.client.Batch(ctx, storage.SetOperation("corrupt-"+key, data), storage.DeleteOperation(key)); err == nil {
		j.Remove(slot)
	}
	return err
}
