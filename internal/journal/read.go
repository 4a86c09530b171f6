package journal

import (
	"context"
	"encoding/binary"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// found is the content of a slot.
type found struct {
	slot uint32
	data []byte
}

// read returns the content of the next slotsAtOnce slots.
func (j *Journal) read(ctx context.Context, from uint32) ([]found, error) {
	operations := make([]*storage.Operation, slotsAtOnce)
	for i := range operations {
		operations[i] = storage.GetOperation(KeyOfSlot(from + uint32(i)))
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

// readReserved returns how many slots may be in use. If that record is missing or damaged, the number is unknown.
func (j *Journal) readReserved(ctx context.Context) (reserved uint32, known bool, err error) {
	stored, err := j.client.Get(ctx, SlotsKey)
	if err != nil {
		return 0, false, err
	}
	e, err := DecodeRecord(stored)
	if err != nil || e.Kind != KindSlots || len(e.Body) != 4 {
		return 0, false, nil
	}
	return binary.LittleEndian.Uint32(e.Body), true, nil
}

// vacate frees the slots that are not used, and stores how many slots may be in use from now on. If the storage refuses that
// number, the next start reads more slots than it needs.
func (j *Journal) vacate(ctx context.Context, used map[uint32]bool, reserved uint32) {
	s := &j.slots
	for slot := range used {
		s.next = max(s.next, slot+1)
	}
	for slot := s.next - 1; slot > 0; slot-- { // the lowest is used first
		if !used[slot] {
			s.free(slot)
		}
	}
	if upTo, _ := s.toReserve(); upTo < reserved && len(used) > 0 {
		s.reserved = 0
		if j.reserve(ctx) == nil {
			return
		}
	}
	s.reserved = reserved
}

// Quarantine moves the content of a slot to another key, which the journal never reads.
func (j *Journal) Quarantine(ctx context.Context, slot uint32) error {
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

// slotsAtOnce is how many slots are read in one batch. If the number of slots is unknown, the search ends after slotsBeyond
// empty ones in a row.
const (
	slotsAtOnce = 256
	slotsBeyond = 4 * slotsStep
)

// Load reads all records. damaged is called for each slot whose record cannot be read.
func (j *Journal) Load(ctx context.Context, damaged func(slot uint32, why error)) (all []Record, err error) {
	reserved, known, err := j.readReserved(ctx)
	if err != nil {
		return nil, err
	}
	used := make(map[uint32]bool)
	empty := 0
	for from := uint64(0); from < uint64(reserved) || !known && empty < slotsBeyond; from += slotsAtOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := j.read(ctx, uint32(from))
		if err != nil {
			return nil, err
		}
		empty += slotsAtOnce
		for _, f := range found {
			empty, used[f.slot] = 0, true
			e, err := DecodeRecord(f.data)
			if err != nil {
				damaged(f.slot, err)
				continue
			}
			e.Slot = f.slot
			all = append(all, e)
		}
	}
	j.vacate(ctx, used, reserved)
	return all, nil
}

// Queue puts a record that was resumed into the queue of its kind, with its load: how many links it has, or 1.
func (j *Journal) Queue(e Record, load int) {
	var queue *fifo
	switch e.Kind {
	case KindParents, KindParentsByProcess:
		queue = &j.parents
	case KindClosed:
		queue = &j.closedTraces
	case KindMCPSpan:
		queue = &j.mcpSpans
	case KindSummary:
		queue = &j.summaries
	default:
		return
	}
	j.Remove(queue.push(e.Slot, load)...)
}
