package processor

import (
	"context"

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

// vacate makes slots that are not used free, and reserves no more than are needed.
func (j *journal) vacate(ctx context.Context, used map[uint32]bool) error {
	for slot := range used {
		j.next = max(j.next, slot+1)
	}
	for slot := j.next - 1; slot > 0; slot-- { // the lowest is to be used first
		if !used[slot] {
			j.unused = append(j.unused, slot)
		}
	}
	j.reserved = 0
	if j.next == 1 {
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
