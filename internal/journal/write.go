package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// ErrStorage is retryable: the sender keeps its spans and sends them again.
var ErrStorage = errors.New("the storage did not take what has to survive a crash")

// SlotsKey holds a record that says how many slots may be in use, in four bytes, little endian.
const SlotsKey = "slots"

// removalsAtOnce bounds how many records are removed together with those of a batch, because its sender waits.
const removalsAtOnce = 1024

// Commit writes pending records.
func (j *Journal) Commit(ctx context.Context) error {
	if j == nil {
		return nil
	}
	for {
		w, ok := j.takeWaiting(true)
		if !ok || w.empty() {
			j.written(w, ok)
			return nil
		}
		err := j.writeInFlight(ctx, nil, w)
		j.written(w, ok)
		if err != nil {
			return err
		}
	}
}

// write writes own and pending records in one batch. If that fails, the pending ones stay pending.
func (j *Journal) write(ctx context.Context, own map[uint32]addition) error {
	w, ok := j.takeWaiting(false)
	defer j.written(w, ok)
	return j.writeInFlight(ctx, own, w)
}

// inFlight has the changes that one goroutine is writing now.
type inFlight struct {
	additions map[uint32]addition
	removals  []removal
	// replaced has the records that additions replace.
	replaced []uint32
	// number is that of this write among the batches. While the write is active, ripe takes no removal of a record that the
	// write may still add.
	number uint64
}

func (w *inFlight) empty() bool { return len(w.additions)+len(w.removals) == 0 }

func (j *Journal) writeInFlight(ctx context.Context, own map[uint32]addition, w inFlight) error {
	operations := make([]*storage.Operation, 0, len(own)+len(w.additions)+len(w.removals))
	for _, additions := range [...]map[uint32]addition{own, w.additions} {
		for slot, a := range additions {
			operations = append(operations, storage.SetOperation(KeyOfSlot(slot), a.data))
		}
	}
	for _, r := range w.removals {
		operations = append(operations, storage.DeleteOperation(KeyOfSlot(r.slot)))
	}
	if len(operations) == 0 {
		return nil
	}
	err := j.reserve(ctx)
	if err == nil {
		err = j.client.Batch(ctx, operations...)
	}
	if err == nil {
		j.done(w)
		return nil
	}
	j.putBack(w)
	if ctx.Err() == nil { // a sender that gave up is no fault of the storage
		j.makeRoom(ctx)
	}
	return fmt.Errorf("%w: %w", ErrStorage, err)
}

// done frees the slots of removed records, and removes those that additions replace.
func (j *Journal) done(w inFlight) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = 0
	j.vacated(w.removals)
	j.drop(w.replaced...)
}

// putBack makes the changes of a failed write pending again. If a record was removed meanwhile, it is not added any more.
func (j *Journal) putBack(w inFlight) {
	j.mu.Lock()
	defer j.mu.Unlock()
	gone := make(map[uint32]bool)
	j.removals = slices.DeleteFunc(j.removals, func(r removal) bool {
		_, waits := w.additions[r.slot]
		gone[r.slot] = waits
		return waits
	})
	j.removals = append(j.removals, w.removals...)
	for slot, a := range w.additions {
		j.waiting[slot] = a
		if gone[slot] {
			j.drop(slot)
		}
	}
}

// makeRoom removes records after a write has failed, because a full storage may still take removals. It removes the records
// that wait for their removal. If there are none, and several writes in a row have failed, it removes the records of all
// queues. These help few runs, and the queues fill again.
func (j *Journal) makeRoom(ctx context.Context) {
	const tries = 3
	j.mu.Lock()
	j.failures++
	if len(j.removals) == 0 && j.failures >= tries {
		for _, m := range [...]*fifo{&j.parents, &j.mcpSpans, &j.closedTraces, &j.summaries} {
			j.drop(m.empty()...)
		}
	}
	removals := j.ripe(len(j.removals))
	j.mu.Unlock()
	if len(removals) == 0 {
		return
	}
	operations := make([]*storage.Operation, 0, len(removals))
	for _, r := range removals {
		operations = append(operations, storage.DeleteOperation(KeyOfSlot(r.slot)))
	}
	err := j.client.Batch(ctx, operations...)
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		j.vacated(removals)
	} else {
		j.removals = append(j.removals, removals...)
	}
}

// takeWaiting takes pending changes. Unless all is set, it takes at most as many removals as a sender can wait for. It takes
// nothing while another goroutine writes pending changes, because writes may overtake each other.
func (j *Journal) takeWaiting(all bool) (w inFlight, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writing || j.closed {
		return w, false
	}
	j.writing = true
	most := removalsAtOnce
	if all {
		most = len(j.removals)
	}
	w = inFlight{additions: j.waiting, removals: j.ripe(most)}
	for _, a := range w.additions {
		w.replaced = append(w.replaced, a.replaces...)
	}
	j.waiting = make(map[uint32]addition)
	w.number = j.activate()
	return w, true
}

// ripe takes removals that no active batch can undo. The caller has mu.
func (j *Journal) ripe(most int) (removals []removal) {
	oldest := j.begun
	for number := range j.active {
		oldest = min(oldest, number)
	}
	kept := j.removals[:0:0]
	for i, r := range j.removals {
		if len(removals) == most {
			kept = append(kept, j.removals[i:]...)
			break
		}
		if r.after <= oldest {
			removals = append(removals, r)
		} else {
			kept = append(kept, r)
		}
	}
	j.removals = kept
	return removals
}

// written lets the next goroutine write pending changes, if this one could.
func (j *Journal) written(w inFlight, could bool) {
	if !could {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writing = false
	delete(j.active, w.number)
}

// reserve makes sure that a start after a crash finds all slots in use. One goroutine reserves at a time, so that the stored
// number only grows.
func (j *Journal) reserve(ctx context.Context) error {
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
	body := binary.LittleEndian.AppendUint32(nil, upTo)
	if err := j.client.Set(ctx, SlotsKey, EncodeRecord(KindSlots, time.Time{}, body)); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.slots.reserved = upTo
	return nil
}

func (j *Journal) toReserve() (upTo uint32, needed bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.slots.toReserve()
}
