package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	core    = "go.opentelemetry.io/collector/"
	contrib = "github.com/open-telemetry/opentelemetry-collector-contrib/"
	// stableBehind is what lies between the minor versions of the modules with v0 and those with v1: v0.158.0 and v1.64.0
	// are one release.
	stableBehind = 94
)

// A release is one of the Collector, by its minor version: 158 is v0.158.0.
type release int

func parseRelease(text string) (r release, err error) {
	if n, _ := fmt.Sscanf(text, "v0.%d.0", &r); n != 1 || r.String() != text || r <= stableBehind {
		return 0, fmt.Errorf("%q is no release of the Collector: want one such as v0.158.0", text)
	}
	return r, nil
}

func (r release) String() string { return fmt.Sprintf("v0.%d.0", int(r)) }

// stable is the version of the release's modules that promise compatibility.
func (r release) stable() string { return fmt.Sprintf("v1.%d.0", int(r)-stableBehind) }

// patched reports whether the version is of the release or of a patch to it.
func (r release) patched(version string) bool {
	return strings.HasPrefix(version, strings.TrimSuffix(r.String(), "0")) || strings.HasPrefix(version, strings.TrimSuffix(r.stable(), "0"))
}

// newestRelease finds the newest release in the module proxy.
func newestRelease(run commands) (newest release, err error) {
	const module = core + "component"
	listed, err := run("go", "list", "-m", "-versions", module)
	for word := range strings.FieldsSeq(listed) {
		var minor release
		if n, _ := fmt.Sscanf(word, "v1.%d.0", &minor); n == 1 {
			newest = max(newest, minor+stableBehind)
		}
	}
	if err == nil && newest == 0 {
		err = errors.New("the module proxy lists no version of " + module)
	}
	return newest, err
}

// A requirement is a line of a go.mod file, as go mod edit -json prints it.
type requirement struct {
	Path, Version string
	Indirect      bool
}

func (q requirement) ofCollector() bool {
	return strings.HasPrefix(q.Path, core) || strings.HasPrefix(q.Path, contrib)
}

// requirements reads a go.mod file. The empty name is that of the module at hand.
func requirements(run commands, file string) ([]requirement, error) {
	args := []string{"go", "mod", "edit", "-json"}
	if file != "" {
		args = append(args, file)
	}
	printed, err := run(args...)
	if err != nil {
		return nil, err
	}
	var mod struct{ Require []requirement }
	err = json.Unmarshal([]byte(printed), &mod)
	return mod.Require, err
}

// resolve sets all modules of the Collector to the release. Their own dependencies get the versions that they require.
func resolve(run commands, r release) error {
	all, err := requirements(run, "")
	if err != nil {
		return err
	}
	edit := []string{"go", "mod", "edit"}
	var wanted []requirement
	for _, q := range all {
		switch {
		case !q.ofCollector():
		case q.Indirect:
			edit = append(edit, "-droprequire="+q.Path)
		default:
			wanted = append(wanted, q)
		}
	}
	if err := r.versions(run, wanted); err != nil {
		return err
	}
	for _, q := range wanted {
		edit = append(edit, "-require="+q.Path+"@"+q.Version)
	}
	if _, err := run(edit...); err != nil {
		return err
	}
	if _, err := run("go", "mod", "tidy"); err != nil {
		return err
	}
	return unmixed(run, r, wanted)
}

// unmixed returns an error if another module requires a newer release. A patch of the same release is allowed.
func unmixed(run commands, r release, wanted []requirement) error {
	all, err := requirements(run, "")
	if err != nil {
		return err
	}
	for _, q := range wanted {
		i := slices.IndexFunc(all, func(o requirement) bool { return o.Path == q.Path })
		if i >= 0 && all[i].Version != q.Version && !r.patched(all[i].Version) {
			return fmt.Errorf("%s is raised from %s to %s", q.Path, q.Version, all[i].Version)
		}
	}
	return nil
}
