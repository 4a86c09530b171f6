package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
)

// Stored returns ours with a file_storage extension in a directory of its own below parent. Every write is followed by
// fsync, or none is. What is removed from the storage after the last span came out belongs to the cost.
func (c Contender) Stored(parent string, fsync bool) Contender {
	c.config += "storage: file_storage\n"
	c.storage = &fileStorage{parent, fsync}
	return c
}

// fileStorage says which extension a contender has.
type fileStorage struct {
	parent string
	fsync  bool
}

// host is a collector with one extension, or with none.
type host struct {
	extensions map[component.ID]component.Component
	stop       func() error
}

var _ component.Host = host{}

// GetExtensions returns what was started.
func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

// start makes a host. A contender without storage gets one without extensions.
func (s *fileStorage) start(ctx context.Context) (host, error) {
	if s == nil {
		return host{stop: func() error { return nil }}, nil
	}
	dir, err := os.MkdirTemp(s.parent, "storage-*")
	if err != nil {
		return host{}, err
	}
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig()
	err = confmap.NewFromStringMap(map[string]any{"directory": dir, "fsync": s.fsync, "timeout": time.Minute}).Unmarshal(cfg)
	if err != nil {
		return host{}, errors.Join(err, os.RemoveAll(dir))
	}
	e, err := s.open(ctx, factory, cfg)
	if err != nil {
		return host{}, errors.Join(fmt.Errorf("file_storage: %w", err), os.RemoveAll(dir))
	}
	return host{
		extensions: map[component.ID]component.Component{component.NewID(factory.Type()): e},
		stop:       func() error { return errors.Join(e.Shutdown(ctx), os.RemoveAll(dir)) },
	}, nil
}

func (*fileStorage) open(ctx context.Context, factory extension.Factory, cfg component.Config) (extension.Extension, error) {
	e, err := factory.Create(ctx, extensiontest.NewNopSettings(factory.Type()), cfg)
	if err != nil {
		return nil, err
	}
	return e, e.Start(ctx, host{})
}
