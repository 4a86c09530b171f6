package processor

import (
	"context"
	"encoding/binary"
	"fmt"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

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
	if err == nil {
		j.removed(removals)
		return nil
	}
	j.putBack(waiting, removals)
	if taken {
		j.makeRoom(ctx)
	}
	return fmt.Errorf("%w: %w", errStorage, err)
}

// removed makes the slots of entries that were removed free.
func (j *journal) removed(removals []removal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range removals {
		j.unused = append(j.unused, r.slot)
	}
}

// putBack has what could not be written wait on.
func (j *journal) putBack(additions []addition, removals []removal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.additions = append(additions, j.additions...)
	j.removals = append(removals, j.removals...)
}

// makeRoom removes entries where nothing could be added, because a storage that is full may still take that. First go
// those that are not needed any more, without what was to stand in their place: that waits on. If there are none, it
// gives up the memories, which are of use to a few runs only, and begin anew.
func (j *journal) makeRoom(ctx context.Context) {
	j.mu.Lock()
	if len(j.removals) == 0 {
		for _, memory := range [...]*queue{&j.links, &j.echoes, &j.closedTraces, &j.outlines} {
			for _, q := range memory.slots {
				j.removeLater(q.slot)
			}
			memory.slots, memory.load = nil, 0
		}
	}
	j.mu.Unlock()
	removals := j.takeRemovals()
	operations := make([]*storage.Operation, 0, len(removals))
	for _, r := range removals {
		operations = append(operations, storage.DeleteOperation(keyOfSlot(r.slot)))
	}
	if len(operations) == 0 {
		return
	}
	if j.client.Batch(ctx, operations...) == nil {
		j.removed(removals)
	} else {
		j.putBack(nil, removals)
	}
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

// takeWaiting takes what waits to be written. It takes nothing while somebody else writes what waited, because writes may
// overtake each other.
func (j *journal) takeWaiting() (additions []addition, removals []removal, taken bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.writing {
		return nil, nil, false
	}
	j.writing = true
	additions, j.additions = j.additions, nil
	return additions, j.ripe(), true
}

// takeRemovals takes those removals that no active batch can undo.
func (j *journal) takeRemovals() []removal {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ripe()
}

func (j *journal) ripe() (removals []removal) {
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
	j.removals = kept
	return removals
}
