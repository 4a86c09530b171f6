// Package journaltest has a storage extension in memory, for tests of journals and of what has one. It outlives the processors of a test.
package journaltest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// ErrFull is the error of operations that a storage refuses.
var ErrFull = errors.New("no space left")

// Storage is a storage extension, and its only client.
type Storage struct {
	component.StartFunc
	component.ShutdownFunc
	storage.Client // what no journal calls

	Entries map[string][]byte
	Room    int // bytes; 0: no bound
	Open    int // clients
	Asked   int // how often it was asked for anything

	mu    sync.Mutex
	guard Guard // nil: nothing is refused
}

// A Guard decides whether operations fail, and whether they are done nevertheless.
type Guard func(context.Context, []*storage.Operation) (done bool, err error)

// None is a guard that refuses operations of these types, and all for a caller that has gone.
func None(types ...storage.OpType) Guard {
	return func(ctx context.Context, operations []*storage.Operation) (bool, error) {
		err := ctx.Err()
		if slices.ContainsFunc(operations, func(o *storage.Operation) bool { return slices.Contains(types, o.Type) }) && err == nil {
			err = ErrFull
		}
		return err == nil, err
	}
}

// RemovalsOnly is the guard of a full storage.
var RemovalsOnly = None(storage.Set)

// NoWrites is the guard of a broken storage.
var NoWrites = None(storage.Set, storage.Delete)

// ID is the name of the storage.
var ID = component.MustNewID("file_storage")

// New returns an empty storage.
func New() *Storage { return &Storage{Entries: map[string][]byte{}} }

// GetExtensions makes a storage the host of a processor.
func (s *Storage) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{ID: s}
}

// GetClient returns a client, whoever asks.
func (s *Storage) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Open++
	return s, nil
}

// Ask makes a guard decide from now on.
func (s *Storage) Ask(guard Guard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.guard = guard
}

// Keys are those of all entries, in order.
func (s *Storage) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.Entries))
}

// Size is the bytes of all values.
func (s *Storage) Size() int { return sizeOf(s.Entries) }

func sizeOf(entries map[string][]byte) (size int) {
	for _, value := range entries {
		size += len(value)
	}
	return size
}

// Get returns the value of a key.
func (s *Storage) Get(ctx context.Context, key string) ([]byte, error) {
	o := storage.GetOperation(key)
	err := s.Batch(ctx, o)
	return o.Value, err
}

// Batch does operations in one step. The guard may use the storage.
func (s *Storage) Batch(ctx context.Context, operations ...*storage.Operation) (err error) {
	s.mu.Lock()
	s.Asked++
	guard := s.guard
	s.mu.Unlock()
	if guard != nil {
		var done bool
		if done, err = guard(ctx, operations); !done {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	after := maps.Clone(s.Entries)
	for _, o := range operations {
		switch o.Type {
		case storage.Get:
			o.Value = slices.Clone(after[o.Key])
		case storage.Set:
			after[o.Key] = slices.Clone(o.Value)
		case storage.Delete:
			delete(after, o.Key)
		}
	}
	if s.Room > 0 && sizeOf(after) > max(s.Room, sizeOf(s.Entries)) {
		return ErrFull
	}
	s.Entries = after
	return err
}

// Close closes the client.
func (s *Storage) Close(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Open--
	return nil
}
