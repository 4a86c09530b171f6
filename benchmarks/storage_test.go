package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/extension/extensiontest"
)

// host is a collector with one extension, or with none.
type host struct {
	extensions map[component.ID]component.Component
	stop       func() error
}

var _ component.Host = host{}

// GetExtensions returns what was started.
func (h host) GetExtensions() map[component.ID]component.Component { return h.extensions }

// startHost makes a host. A contender without storage gets one without extensions, the other one a file_storage in a directory
// of its own.
func (c Contender) startHost(ctx context.Context) (host, error) {
	if !c.storage {
		return host{stop: func() error { return nil }}, nil
	}
	dir, err := os.MkdirTemp("", "storage-*")
	if err != nil {
		return host{}, err
	}
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig()
	err = confmap.NewFromStringMap(map[string]any{"directory": dir, "timeout": time.Minute}).Unmarshal(cfg)
	if err != nil {
		return host{}, errors.Join(err, os.RemoveAll(dir))
	}
	e, err := factory.Create(ctx, extensiontest.NewNopSettings(factory.Type()), cfg)
	if err == nil {
		err = e.Start(ctx, host{})
	}
	if err != nil {
		return host{}, errors.Join(fmt.Errorf("file_storage: %w", err), os.RemoveAll(dir))
	}
	return host{
		extensions: map[component.ID]component.Component{component.NewID(factory.Type()): e},
		stop:       func() error { return errors.Join(e.Shutdown(ctx), os.RemoveAll(dir)) },
	}, nil
}
