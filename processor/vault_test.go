package processor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
)

// vault is a storage extension in memory. What is in it outlives the processors of a test.
type vault struct {
	component.StartFunc
	component.ShutdownFunc

	mu      sync.Mutex
	entries map[string][]byte
	refusal error // of all that is to be written
	full    error // of all that is to be added; what is to be removed is
	room    int   // bytes; 0: no bound
	blind   error // of all that is to be read
	open    int
}

var (
	_ storage.Extension = (*vault)(nil)
	_ storage.Client    = vaultClient{}
)

var vaultID = component.MustNewID("file_storage")

func newVault() *vault { return &vault{entries: map[string][]byte{}} }

// GetExtensions makes a vault the host of a processor.
func (v *vault) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{vaultID: v}
}

func (v *vault) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open++
	return vaultClient{v}, nil
}

// refuse makes the vault fail to write, or with nil ends that.
func (v *vault) refuse(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refusal = err
}

// keys are those of all entries, in order.
func (v *vault) keys() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Sorted(maps.Keys(v.entries))
}

type vaultClient struct{ *vault }

func (c vaultClient) Get(ctx context.Context, key string) ([]byte, error) {
	o := storage.GetOperation(key)
	err := c.Batch(ctx, o)
	return o.Value, err
}

func (c vaultClient) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

func (c vaultClient) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

func (c vaultClient) Batch(_ context.Context, operations ...*storage.Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range operations {
		if o.Type == storage.Get && c.blind != nil {
			return c.blind
		}
		if o.Type != storage.Get && c.refusal != nil {
			return c.refusal
		}
		if o.Type == storage.Set && c.full != nil {
			return c.full
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

// sizeAfter is how many bytes all values take once the operations are done.
func (c vaultClient) sizeAfter(operations []*storage.Operation) int {
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

func (c vaultClient) Close(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	return nil
}

var errFull = errors.New("no space left")
