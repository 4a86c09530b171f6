// Compat tries this module with releases of the Collector and with versions of Go, and prints a table of the results.
//
// An attempt works in a copy of the checkout, which stays as it is. It sets all modules of the Collector to one release,
// then compiles, vets and tests. Modules and versions of Go come through the module proxy, and from nowhere else.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	// lastReleases is how many are tried unless -releases says otherwise. Before v0.161.0, OTTL had another form.
	lastReleases = 4
	// goVersions is how many minor versions of Go are tried, newest first.
	goVersions = 2
)

func main() {
	releases := flag.String("releases", "", "releases of the Collector, such as v0.163.0,v0.164.0 (default: the last four)")
	versions := flag.String("go", "", "versions of Go, such as 1.26.8,1.27.4 (default: the newest of the two newest minor versions)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := compat(ctx, *releases, *versions)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func compat(ctx context.Context, releases, versions string) error {
	here := shell(ctx, ".", "")
	proxy, err := here("go", "env", "GOPROXY")
	if err != nil {
		return err
	}
	if err := os.Setenv("GOPROXY", proxyOnly(strings.TrimSpace(proxy))); err != nil {
		return err
	}
	rs, err := releasesOf(here, releases)
	if err != nil {
		return err
	}
	vs, err := goVersionsOf(here, versions)
	if err != nil {
		return err
	}
	var rows []row
	for _, r := range rs {
		for _, v := range vs {
			got, err := tryInCopy(ctx, r, v)
			if err != nil {
				return err
			}
			rows = append(rows, got)
		}
	}
	fmt.Print(table(rows))
	if slices.ContainsFunc(rows, row.broken) {
		return errors.New("a release that can be had does not work")
	}
	return nil
}

// releasesOf reads a list of releases. If the list is empty, it takes the last ones.
func releasesOf(run commands, list string) ([]release, error) {
	var all []release
	for word := range strings.SplitSeq(list, ",") {
		if word == "" {
			continue
		}
		r, err := parseRelease(word)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	if len(all) > 0 {
		return all, nil
	}
	newest, err := newestRelease(run)
	if err != nil {
		return nil, err
	}
	for r := newest - lastReleases + 1; r <= newest; r++ {
		all = append(all, r)
	}
	return all, nil
}

// goVersionsOf reads a list of versions of Go. If the list is empty, it takes the newest ones.
func goVersionsOf(run commands, list string) ([]string, error) {
	if list != "" {
		return strings.Split(list, ","), nil
	}
	platform, err := run("go", "env", "GOOS", "GOARCH")
	if err != nil {
		return nil, err
	}
	listed, err := run("go", "list", "-m", "-versions", "golang.org/toolchain")
	if err != nil {
		return nil, err
	}
	newest := newestGo(listed, strings.Join(strings.Fields(platform), "-"))
	if len(newest) == 0 {
		return nil, errors.New("the module proxy lists no version of Go for this platform: name some with -go")
	}
	newest = newest[:min(goVersions, len(newest))]
	for i, version := range newest {
		newest[i] = atHand(run, version)
	}
	return newest, nil
}

// atHand returns the version if it can be downloaded, else the installed Go if it has the same minor version.
func atHand(run commands, version string) string {
	if _, err := run("env", "GOTOOLCHAIN=go"+version, "go", "version"); err == nil {
		return version
	}
	local, err := run("env", "GOTOOLCHAIN=local", "go", "env", "GOVERSION")
	local = strings.TrimPrefix(strings.TrimSpace(local), "go")
	if err == nil && minorOf(local) == minorOf(version) {
		return local
	}
	return version
}

// toolchain is a version of Go and its platform, as the module proxy lists them. Release candidates do not match.
var toolchain = regexp.MustCompile(`v0\.0\.1-go1\.(\d+)\.(\d+)\.(\w+-\w+)`)

// newestGo are the newest patch releases of all minor versions in a list of toolchains, newest first.
func newestGo(listed, platform string) []string {
	newest := map[int]int{}
	for _, found := range toolchain.FindAllStringSubmatch(listed, -1) {
		minor, err := strconv.Atoi(found[1])
		patch, err2 := strconv.Atoi(found[2])
		if err == nil && err2 == nil && found[3] == platform {
			newest[minor] = max(newest[minor], patch)
		}
	}
	var all []string
	for _, minor := range slices.Backward(slices.Sorted(maps.Keys(newest))) {
		all = append(all, fmt.Sprintf("1.%d.%d", minor, newest[minor]))
	}
	return all
}

// minorOf is the 26 of 1.26.8.
func minorOf(version string) (minor int) {
	_, _ = fmt.Sscanf(version, "1.%d", &minor)
	return minor
}
