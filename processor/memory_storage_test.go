package processor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// memoryStorage is a storage extension in memory. It outlives the processors of a test.
type memoryStorage struct {
	component.StartFunc
	component.ShutdownFunc

	mu      sync.Mutex
	entries map[string][]byte
	guard   guard // nil: nothing is refused
	room    int   // bytes; 0: no bound
	open    int
}

// A guard may refuse a batch of operations.
type guard func(context.Context, []*storage.Operation) error

// noneOf is a guard that refuses a batch with an operation of a type.
func noneOf(kind storage.OpType) guard {
	return func(_ context.Context, operations []*storage.Operation) error {
		if slices.ContainsFunc(operations, func(o *storage.Operation) bool { return o.Type == kind }) {
			return errFull
		}
		return nil
	}
}

// removalsOnly is the guard of a full storage, noWrites that of one that is broken.
var removalsOnly = noneOf(storage.Set)

func noWrites(ctx context.Context, operations []*storage.Operation) error {
	return errors.Join(noneOf(storage.Set)(ctx, operations), noneOf(storage.Delete)(ctx, operations))
}

var (
	_ storage.Extension = (*memoryStorage)(nil)
	_ storage.Client    = memoryClient{}
)

var memoryStorageID = component.MustNewID("file_storage")

func newMemoryStorage() *memoryStorage { return &memoryStorage{entries: map[string][]byte{}} }

// GetExtensions makes a memory storage the host of a processor.
func (v *memoryStorage) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{memoryStorageID: v}
}

func (v *memoryStorage) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open++
	return memoryClient{v}, nil
}

// ask makes a guard decide from now on.
func (v *memoryStorage) ask(guard guard) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.guard = guard
}

// keys are those of all records, in order.
func (v *memoryStorage) keys() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Keys(v.entries))
}

// records are the keys of the journal's records that are there, without those that only remember a closed trace.
func (v *memoryStorage) records() (keys []string) {
	for _, key := range v.keys() {
		slot, err := strconv.ParseUint(key, 36, 24)
		if err == nil && journal.KeyOfSlot(journal.Slot(slot)) == key && !v.isPast(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// isPast reports whether a record has nothing to judge.
func (v *memoryStorage) isPast(key string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	const header = 13 // of a journal's record
	b := v.entries[key]
	if len(b) < header {
		return false
	}
	trace, err := evidence.DecodeTrace(b[header:])
	return err == nil && trace.IsEmpty()
}

type memoryClient struct{ *memoryStorage }

func (c memoryClient) Get(ctx context.Context, key string) ([]byte, error) {
	o := storage.GetOperation(key)
	err := c.Batch(ctx, o)
	return o.Value, err
}

func (c memoryClient) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

func (c memoryClient) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

func (c memoryClient) Batch(ctx context.Context, operations ...*storage.Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.guard != nil {
		if err := c.guard(ctx, operations); err != nil {
			return err
		}
	}
	if c.room > 0 && c.sizeAfter(operations) > max(c.room, c.sizeAfter(nil)) {
		return errFull
	}
	for _, o := range operations {
		switch o.Type {
		case storage.Get:
			o.Value = slices.Clone(c.entries[o.Key])
		case storage.Set:
			c.entries[o.Key] = slices.Clone(o.Value)
		case storage.Delete:
			delete(c.entries, o.Key)
		}
	}
	return nil
}

// sizeAfter returns the bytes of all values after the operations.
func (c memoryClient) sizeAfter(operations []*storage.Operation) int {
	size := 0
	after := maps.Clone(c.entries)
	for _, o := range operations {
		switch o.Type {
		case storage.Set:
			after[o.Key] = o.Value
		case storage.Delete:
			delete(after, o.Key)
		}
	}
	for _, value := range after {
		size += len(value)
	}
	return size
}

func (c memoryClient) Close(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	return nil
}

var errFull = errors.New("no space left")
