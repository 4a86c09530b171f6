package journal

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/extension/xextension/storage"
)

var errFull = errors.New("no space left")

// fakeClient is a storage in memory. A test may replace its operations.
type fakeClient struct {
	mu      sync.Mutex
	entries map[string][]byte
	answer  func(context.Context, []*storage.Operation) error
}

var _ storage.Client = (*fakeClient)(nil)

func newFakeClient() *fakeClient { return &fakeClient{entries: map[string][]byte{}} }

// ask sets a function that decides whether operations fail, or nil.
func (c *fakeClient) ask(answer func(context.Context, []*storage.Operation) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
}

// removalsOnly refuses to add anything.
func removalsOnly(_ context.Context, operations []*storage.Operation) error {
	for _, o := range operations {
		if o.Type == storage.Set {
			return errFull
		}
	}
	return nil
}

func (c *fakeClient) keys() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.entries))
}

func (c *fakeClient) Get(ctx context.Context, key string) ([]byte, error) {
	o := storage.GetOperation(key)
	err := c.Batch(ctx, o)
	return o.Value, err
}

func (c *fakeClient) Set(ctx context.Context, key string, value []byte) error {
	return c.Batch(ctx, storage.SetOperation(key, value))
}

func (c *fakeClient) Delete(ctx context.Context, key string) error {
	return c.Batch(ctx, storage.DeleteOperation(key))
}

func (c *fakeClient) Batch(ctx context.Context, operations ...*storage.Operation) error {
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		if err := answer(ctx, operations); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
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

func (*fakeClient) Close(context.Context) error { return nil }
