package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// command is the name of the command's binary.
const command = "toolcorrectness"

// A binary is a program, compiled for a platform.
type binary struct {
	platform
	name, path string
}

// file is the binary's name in an archive.
func (b binary) file() string {
	if b.os == "windows" {
		return b.name + ".exe"
	}
	return b.name
}

// generate has the Collector's builder write the collector's sources below dist.
func (r *release) generate(ctx context.Context) error {
	_, err := r.output(ctx, r.root, nil, "go", "tool", "-modfile=internal/tools/go.mod", "builder", "--skip-compilation", "--config=builder-config.yaml")
	return err
}

// compile builds the collector and the command for all platforms.
func (r *release) compile(ctx context.Context, work string) ([]binary, error) {
	var binaries []binary
	for _, p := range platforms {
		for _, program := range []struct{ name, dir, pkg string }{
			{r.Name, filepath.Join(r.root, "dist"), "."},
			{command, r.root, "./cmd/" + command},
		} {
			b := binary{p, program.name, filepath.Join(work, p.os+"-"+p.arch, program.name)}
			if err := os.MkdirAll(filepath.Dir(b.path), 0o755); err != nil {
				return nil, err
			}
			fmt.Printf("release: compiling %s for %s/%s\n", b.name, p.os, p.arch)
			if _, err := r.output(ctx, program.dir, p.env(), "go", "build", "-trimpath",
				"-ldflags=-s -w -buildid= -X main.released="+r.Version, "-o", b.path, program.pkg); err != nil {
				return nil, err
			}
			binaries = append(binaries, b)
		}
	}
	return binaries, nil
}

// env sets whatever else in the environment would change the bytes of a binary.
func (p platform) env() []string {
	return []string{
		"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOWORK=off",
		"GOFLAGS=-buildvcs=false -mod=readonly",
	}
}
