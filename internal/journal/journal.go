package journal

import (
	"context"
	"encoding/binary"
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

// removalsAtOnce bounds how many pending records are removed in one step, because a sender may wait for it.
const removalsAtOnce = 1024

// A Journal keeps records in a storage. Its methods may be called by several goroutines at once. Those of a nil Journal do
// nothing.
//
// A storage is a map without order and without a list of its keys. So records stand in numbered slots, and one more record says below
// which number slots may be in use. A slot that becomes free is used again. A write that fails may have reached the storage or not: its
// records are removed later, and until then their slots stay in use, because a late removal would hit another record. A full storage
// refuses to add, but may still remove, so a failed write tries to remove what it can.
type Journal struct {
	client storage.Client
	// reserving has room for the goroutine that reserves slots.
	reserving chan struct{}

	mu    sync.Mutex // guards all below; the client is never called while it is locked
	slots slots
	// pending has the slots whose removal was asked for, unless it is under way.
	pending []Slot
	closed  bool
}

// New returns a journal that writes with a client. If there may be records, the caller loads them first.
func New(client storage.Client) *Journal {
	return &Journal{client: client, reserving: make(chan struct{}, 1), slots: newSlots()}
}

// Write adds and removes records in one step: all or nothing. It returns the slots of the added records, in order. If a
// journal is nil, all of them are 0.
//
// Pending removals go along. If Write fails, nothing was added, and the caller still has the records that it wanted to
// remove: it may remove them with another record that replaces them. The error is an [ErrStorage].
func (j *Journal) Write(ctx context.Context, at time.Time, add [][]byte, remove []Slot) ([]Slot, error) {
	added := make([]Slot, len(add))
	if j == nil {
		return added, nil
	}
	s, err := j.begin(added, remove)
	if err == nil {
		err = j.try(ctx, s, at, add)
	}
	if err == nil {
		return added, nil
	}
	if ctx.Err() == nil { // a sender that gave up is no fault of the storage
		_, _ = j.removePending(ctx)
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
	for _, slot := range slots {
		if j.slots.ask(slot) {
			j.pending = append(j.pending, slot)
		}
	}
}

// Commit removes the pending records, except those that another goroutine is removing. The error is an [ErrStorage].
func (j *Journal) Commit(ctx context.Context) error {
	if j == nil {
		return nil
	}
	for {
		n, err := j.removePending(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", ErrStorage, err)
		case n == 0:
			return nil
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

// A step is a change of the storage that is under way.
type step struct {
	added    []Slot
	replaced []Slot // those that the step removes together with adding others
	pending  []Slot // those that only go along
}

// begin chooses slots for the records to add, and takes pending removals.
func (j *Journal) begin(added, remove []Slot) (s step, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return s, errClosed
	}
	for i := range added {
		added[i] = j.slots.take()
	}
	s = step{added: added, replaced: make([]Slot, 0, len(remove))}
	for _, slot := range remove {
		if j.slots.replace(slot) {
			s.replaced = append(s.replaced, slot)
		}
	}
	n := min(len(j.pending), removalsAtOnce) // as many as a sender can wait for
	s.pending = slices.Clone(j.pending[:n])
	j.pending = slices.Delete(j.pending, 0, n)
	return s, nil
}

// try has the storage do a step that adds records with these bodies, all of it or nothing.
func (j *Journal) try(ctx context.Context, s step, at time.Time, bodies [][]byte) error {
	operations := make([]*storage.Operation, 0, len(bodies)+len(s.replaced)+len(s.pending))
	for i, body := range bodies {
		operations = append(operations, storage.SetOperation(KeyOfSlot(s.added[i]), encodeRecord(at, body)))
	}
	operations = appendRemovals(appendRemovals(operations, s.replaced), s.pending)
	if len(operations) == 0 {
		return nil
	}
	asked := false
	err := j.reserve(ctx, s.added)
	if err == nil {
		asked = true
		err = j.client.Batch(ctx, operations...)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		j.slots.free(s.replaced...)
		j.slots.free(s.pending...)
		return nil
	}
	j.pending = append(j.pending, s.pending...)
	for _, slot := range s.replaced {
		if j.slots.keep(slot) {
			j.pending = append(j.pending, slot)
		}
	}
	for _, slot := range s.added {
		if !asked {
			j.slots.free(slot)
		} else if j.slots.ask(slot) { // the storage may have added the record
			j.pending = append(j.pending, slot)
		}
	}
	return err
}

// removePending removes as many pending records as a sender can wait for, and returns how many.
func (j *Journal) removePending(ctx context.Context) (n int, err error) {
	s, err := j.begin(nil, nil)
	if err != nil || len(s.pending) == 0 { // closed, or done
		return 0, nil
	}
	return len(s.pending), j.try(ctx, s, time.Time{}, nil)
}

func appendRemovals(operations []*storage.Operation, slots []Slot) []*storage.Operation {
	for _, slot := range slots {
		operations = append(operations, storage.DeleteOperation(KeyOfSlot(slot)))
	}
	return operations
}

// reserve makes sure that a start after a crash finds the slots. One goroutine reserves at a time, so that the stored number
// only grows.
func (j *Journal) reserve(ctx context.Context, slots []Slot) error {
	if _, needed := j.toReserve(slots); !needed {
		return nil
	}
	select {
	case j.reserving <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-j.reserving }()
	upTo, needed := j.toReserve(slots)
	if !needed {
		return nil
	}
	return j.storeReserved(ctx, upTo)
}

// toReserve returns how many slots to reserve for the slots of a write, if any of them is not reserved.
func (j *Journal) toReserve(slots []Slot) (upTo uint32, needed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.slots.toReserve(), len(slots) > 0 && slices.Max(slots) >= j.slots.reserved
}

// storeReserved stores how many slots are reserved. The time of that record means nothing.
func (j *Journal) storeReserved(ctx context.Context, upTo uint32) error {
	body := binary.LittleEndian.AppendUint32(nil, upTo)
	if err := j.client.Set(ctx, SlotsKey, encodeRecord(time.Unix(0, 0), body)); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.slots.reserved = upTo
	return nil
}

// slotsAtOnce is how many slots are read in one step. If the number of reserved slots is unknown, the search ends after
// slotsBeyond empty ones in a row.
const (
	slotsAtOnce = 256
	slotsBeyond = 4 * slotsStep
)

// Load reads all records, in the order of their slots. It comes before everything else that uses the journal. damaged is
// called for each slot whose record cannot be read, with an [ErrVersion] or an [ErrCorrupt]. It may quarantine or remove the
// slot.
func (j *Journal) Load(ctx context.Context, damaged func(slot Slot, why error)) (all []Record, err error) {
	if j == nil {
		return nil, nil
	}
	reserved, known, err := j.readReserved(ctx)
	if err != nil {
		return nil, err
	}
	empty := 0
	for from := uint64(0); from < uint64(reserved) || !known && empty < slotsBeyond; from += slotsAtOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := j.read(ctx, Slot(from))
		if err != nil {
			return nil, err
		}
		empty += slotsAtOnce
		for _, stored := range found {
			empty = 0
			r, err := decodeRecord(stored.Body)
			if err != nil {
				damaged(stored.Slot, err)
				continue
			}
			r.Slot = stored.Slot
			all = append(all, r)
		}
	}
	j.vacate(ctx, reserved)
	return all, nil
}

// read returns what is stored in the next slotsAtOnce slots, as bodies that are not decoded. These slots are in use.
func (j *Journal) read(ctx context.Context, from Slot) (found []Record, err error) {
	operations := make([]*storage.Operation, slotsAtOnce)
	for i := range operations {
		operations[i] = storage.GetOperation(KeyOfSlot(from + Slot(i)))
	}
	if err := j.client.Batch(ctx, operations...); err != nil {
		return nil, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, o := range operations {
		if slot := from + Slot(i); slot > 0 && len(o.Value) > 0 {
			found = append(found, Record{Slot: slot, Body: o.Value})
			j.slots.use(slot)
		}
	}
	return found, nil
}

// readReserved returns how many slots are reserved. If that record is missing or damaged, the number is unknown.
func (j *Journal) readReserved(ctx context.Context) (reserved uint32, known bool, err error) {
	stored, err := j.client.Get(ctx, SlotsKey)
	if err != nil {
		return 0, false, err
	}
	r, err := decodeRecord(stored)
	if err != nil || len(r.Body) != 4 {
		return 0, false, nil
	}
	return binary.LittleEndian.Uint32(r.Body), true, nil
}

// vacate frees the slots that are not in use, and stores how many slots are reserved from now on, if fewer suffice. If the
// storage refuses that number, the next start reads more slots than it needs.
func (j *Journal) vacate(ctx context.Context, reserved uint32) {
	j.mu.Lock()
	j.slots.reserved = reserved
	j.slots.vacate()
	upTo, some := j.slots.toReserve(), j.slots.next > 1
	j.mu.Unlock()
	if some && upTo < reserved {
		_ = j.storeReserved(ctx, upTo)
	}
}

// Quarantine moves the content of a slot to another key, which the journal never reads.
func (j *Journal) Quarantine(ctx context.Context, slot Slot) error {
	if j == nil {
		return nil
	}
	key := KeyOfSlot(slot)
	data, err := j.client.Get(ctx, key)
	if err != nil {
		return err
	}
	err = j.client.Batch(ctx, storage.SetOperation("corrupt-"+key, data), storage.DeleteOperation(key))
	if err == nil {
		j.Remove(slot)
	}
	return err
}

// A state says whether a slot may have a record.
type state uint8

const (
	unused   state = iota // there is no record, and a write may take the slot
	used                  // there is one, or a write is adding it
	replaced              // a write is removing it, and if that fails, it stays
	leaving               // its removal was asked for, and is tried until it succeeds
)

// slots are the numbers of records. Each of them has a state, so that a removal that is asked for twice, by different
// goroutines, does not free a slot twice.
type slots struct {
	// next is the lowest number that was never in use. No number from reserved on is in the storage.
	next, reserved uint32
	states         []state // of the numbers below next
	unused         []Slot
}

// slotsStep is how many slots are reserved at once. Fewer would be more writes, more a longer look at the start.
const slotsStep = 4096

// newSlots has no slot in use. Slot 0 means that there is no record, so it is not used, and cannot be removed.
func newSlots() slots { return slots{next: 1, states: make([]state, 1)} }

// take returns a slot for a new record.
func (s *slots) take() (slot Slot) {
	if n := len(s.unused); n > 0 {
		slot, s.unused = s.unused[n-1], s.unused[:n-1]
		s.states[slot] = used
		return slot
	}
	slot = s.next
	s.use(slot)
	return slot
}

// use says that there is a record in a slot that was never in use.
func (s *slots) use(slot Slot) {
	s.next = max(s.next, slot+1)
	s.states = append(s.states, make([]state, int(s.next)-len(s.states))...)
	s.states[slot] = used
}

func (s *slots) stateOf(slot Slot) state {
	if slot >= s.next {
		return unused
	}
	return s.states[slot]
}

// ask says that the record must go, and reports whether its removal is pending now.
func (s *slots) ask(slot Slot) (pending bool) {
	switch s.stateOf(slot) {
	case used:
		s.states[slot] = leaving
		return true
	case replaced:
		s.states[slot] = leaving // if the write fails that removes it
	}
	return false
}

// replace says that a write removes the record, and reports whether it has to.
func (s *slots) replace(slot Slot) bool {
	if s.stateOf(slot) != used {
		return false
	}
	s.states[slot] = replaced
	return true
}

// keep says that a write did not remove the record. It reports whether its removal is pending now.
func (s *slots) keep(slot Slot) (pending bool) {
	if s.states[slot] == leaving {
		return true
	}
	s.states[slot] = used
	return false
}

// free gives back slots that have no record.
func (s *slots) free(slots ...Slot) {
	for _, slot := range slots {
		s.states[slot] = unused
	}
	s.unused = append(s.unused, slots...)
}

// vacate frees the slots that are not in use, after all others are known. The lowest is used first.
func (s *slots) vacate() {
	s.unused = s.unused[:0]
	for slot := s.next - 1; slot > 0; slot-- {
		if s.states[slot] == unused {
			s.unused = append(s.unused, slot)
		}
	}
}

// toReserve returns how many slots are enough for all in use.
func (s *slots) toReserve() uint32 { return (s.next + slotsStep - 1) / slotsStep * slotsStep }
