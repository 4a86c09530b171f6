package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// A platform is what a binary is built for.
type platform struct{ os, arch string }

// platforms are those of the archives. The image has the ones of linux.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// choose leaves only some of the platforms, as "os/arch" with commas between; empty: all.
func choose(only string) error {
	if only == "" {
		return nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(only, ",") {
		goos, arch, _ := strings.Cut(name, "/")
		p := platform{goos, arch}
		if !slices.Contains(platforms, p) {
			return fmt.Errorf("-platforms: %q must be one of %v", name, platforms)
		}
		chosen = append(chosen, p)
	}
	platforms = chosen
	return nil
}

// A release is one version of the distribution, and where it is built.
type release struct {
	root, out string
	epoch     time.Time // the time of every file: that of the last commit, or SOURCE_DATE_EPOCH

	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Version     string `yaml:"version"`
}

// newRelease reads the manifest of the distribution, which says name and version.
func newRelease(ctx context.Context, root, out string) (*release, error) {
	text, err := os.ReadFile(filepath.Join(root, "builder-config.yaml"))
	if err != nil {
		return nil, err
	}
	manifest := struct {
		Dist *release `yaml:"dist"`
	}{&release{root: root, out: out}}
	if err := yaml.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("builder-config.yaml: %w", err)
	}
	r := manifest.Dist
	if r.Name == "" || r.Version == "" {
		return nil, errors.New("builder-config.yaml: dist.name and dist.version must be there")
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.output(ctx, root, nil, "git", "-c", "safe.directory="+root, "log", "-1", "--format=%ct"); err != nil {
			return nil, fmt.Errorf("without SOURCE_DATE_EPOCH the time of the last commit is needed: %w", err)
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("SOURCE_DATE_EPOCH must be a number of seconds, is %q", seconds)
	}
	r.epoch = time.Unix(n, 0).UTC()
	return r, nil
}

// output runs a program in a folder, with some variables more, and returns what it wrote to standard output.
func (*release) output(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var faults strings.Builder
	c.Stderr = &faults
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, faults.String())
	}
	return string(out), err
}

// file is the path of a file of the release: name, version and what it is for.
func (r *release) file(name, rest string) string {
	return filepath.Join(r.out, name+"_"+r.Version+rest)
}
