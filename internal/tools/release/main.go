// Release builds the artifacts of a release: archives of the collector and the command, their software bills of materials, an
// OCI image, notes and checksums. It needs Go and git, and nothing from a network except the module proxy. The same checkout
// and the same version of Go give the same bytes in any folder.
//
//	go run . [-platforms OS/ARCH,...] [-start=false]
//
// It writes dist/release in the checkout that it is run in.
// CONTRIBUTING.md says what is left to a person with keys.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	only := flag.String("platforms", "", "the only platforms to build for, such as linux/amd64,windows/arm64 (default: all)")
	start := flag.Bool("start", true, "unpack the image for this platform and start the collector in it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *only, *start)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, start bool) error {
	if err := choose(only); err != nil {
		return err
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		return err
	}
	r, err := newRelease(ctx, root, filepath.Join(root, "dist", "release"))
	if err != nil {
		return err
	}
	if err := r.build(ctx); err != nil {
		return err
	}
	if start {
		if err := r.start(ctx); err != nil {
			return fmt.Errorf("the start test: %w", err)
		}
	}
	fmt.Printf("release: %s %s is in %s\n", r.Name, r.Version, r.out)
	return nil
}

// build makes everything, in a folder that it empties first.
func (r *release) build(ctx context.Context) error {
	if err := errors.Join(os.RemoveAll(r.out), os.MkdirAll(r.out, 0o755)); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := r.generate(ctx); err != nil {
		return err
	}
	binaries, err := r.compile(ctx, work)
	if err != nil {
		return err
	}
	for _, b := range binaries {
		if err := errors.Join(r.archive(b), r.writeSBOM(b)); err != nil {
			return err
		}
	}
	return errors.Join(r.writeImage(binaries), r.writeNotes(), writeChecksums(r.out))
}
