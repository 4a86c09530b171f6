package main

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/match"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// startBound is how long the collector may take to be healthy, and then to end.
const startBound = 30 * time.Second

// start unpacks the image for this platform and runs its entrypoint until it is healthy. As root, it does so below the
// image's files as the image's user, who may write to storage only.
func (r *release) start(ctx context.Context) error {
	image, err := r.imageFor(runtime.GOOS, runtime.GOARCH)
	if err != nil || image == nil {
		fmt.Printf("release: no image for %s/%s, so none is started\n", runtime.GOOS, runtime.GOARCH)
		return err
	}
	dir, err := os.MkdirTemp("", "image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.Chmod(dir, 0o755), unpack(image, dir)); err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	return runImage(ctx, dir, config.Config)
}

// imageFor returns the image for a platform in the written layout, or nil.
func (r *release) imageFor(goos, arch string) (v1.Image, error) {
	outer, err := layout.ImageIndexFromPath(r.layoutDir())
	if err != nil {
		return nil, err
	}
	indexes, err := partial.FindIndexes(outer, match.MediaTypes(string(types.OCIImageIndex)))
	if err != nil {
		return nil, err
	}
	images, err := partial.FindImages(indexes[0], match.Platforms(v1.Platform{OS: goos, Architecture: arch}))
	if err != nil || len(images) == 0 {
		return nil, err
	}
	return images[0], nil
}

func unpack(image v1.Image, dir string) error {
	files := mutate.Extract(image)
	defer files.Close()
	t := tar.NewReader(files)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.Clean("/"+h.Name))
		if h.Typeflag == tar.TypeDir {
			err = os.MkdirAll(path, h.FileInfo().Mode())
		} else {
			err = writeFile(path, func(w io.Writer) error {
				_, err := io.Copy(w, t) //nolint:gosec // G110: the image was made here
				return err
			})
			err = errors.Join(err, os.Chmod(path, h.FileInfo().Mode()))
		}
		if err == nil && os.Getuid() == 0 {
			err = os.Chown(path, h.Uid, h.Gid)
		}
		if err != nil {
			return err
		}
	}
}

func runImage(ctx context.Context, dir string, config v1.Config) error {
	free, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it returns at once
	if err != nil {
		return err
	}
	health := free.Addr().String()
	if err := free.Close(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*startBound)
	defer cancel()
	args := slices.Concat(config.Entrypoint, config.Cmd)
	root := ""
	if os.Getuid() != 0 { // without root there is no chroot
		root = dir
	}
	args[0] = root + args[0]
	args[1] = "--config=" + root + strings.TrimPrefix(args[1], "--config=")
	for _, overlay := range []string{
		"extensions::health_check::endpoint: " + health,
		"receivers::otlp::protocols::grpc::endpoint: 127.0.0.1:0",
		"receivers::otlp::protocols::http::endpoint: 127.0.0.1:0",
		"service::telemetry::metrics::level: none",
	} {
		args = append(args, "--config=yaml:"+overlay)
	}
	c := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // G204: what the image says
	if root == "" {
		c.Dir, c.SysProcAttr = "/", &syscall.SysProcAttr{Chroot: dir, Credential: &syscall.Credential{Uid: user, Gid: user}}
	}
	var log strings.Builder
	c.Stdout, c.Stderr, c.Env = &log, &log, config.Env
	if err := c.Start(); err != nil {
		return err
	}
	err = errors.Join(healthy(ctx, "http://"+health), c.Process.Signal(syscall.SIGTERM), c.Wait())
	if err != nil {
		return fmt.Errorf("%w\n%s", err, log.String())
	}
	fmt.Printf("release: the image for %s/%s starts, is healthy as user %d and ends\n", runtime.GOOS, runtime.GOARCH, user)
	return nil
}

// healthy waits until a health check responds with 200.
func healthy(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startBound)
	defer cancel()
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("the collector is not healthy: %w", ctx.Err())
}
