package processor

import (
	"context"
	"encoding/binary"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

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

// readReserved is how many slots may be in use. Where nothing says so, or what does is damaged, it is not known.
func (j *journal) readReserved(ctx context.Context) (reserved uint32, known bool, err error) {
	stored, err := j.client.Get(ctx, slotsKey)
	if err != nil {
		return 0, false, err
	}
	e, err := decodeRecord(stored)
	if err != nil || e.kind != kindSlots || len(e.body) != 4 {
		return 0, false, nil
	}
	return binary.LittleEndian.Uint32(e.body), true, nil
}

// vacate makes slots that are not used free, and reserves no more than are needed. If the storage does not take that
// now, more are looked at the next time.
func (j *journal) vacate(ctx context.Context, used map[uint32]bool, reserved uint32) {
	s := &j.slots
	for slot := range used {
		s.next = max(s.next, slot+1)
	}
	for slot := s.next - 1; slot > 0; slot-- { // the lowest is to be used first
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

// quarantine puts what stands in a slot under another key, where nobody reads it.
func (j *journal) quarantine(ctx context.Context, slot uint32) error {
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
