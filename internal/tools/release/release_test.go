package main

import (
	"debug/buildinfo"
	"encoding/pem"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

var sample = release{"otelcol-x", "1.2.3", "d", time.Unix(1_800_000_000, 0).UTC()}

// must returns what a call gives that does not fail.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// images writes the layout of two images, whose programs are a small file, and returns its folder.
func images(t *testing.T) string {
	t.Helper()
	binaries, layout := t.TempDir(), filepath.Join(t.TempDir(), "layout")
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-arm64"} {
		if err := os.Mkdir(filepath.Join(binaries, platform), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(binaries, platform, sample.name), []byte("a program"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := sample.writeImage(binaries, layout); err != nil {
		t.Fatal(err)
	}
	return layout
}

// Every file of a layout is named by its checksum or lists those that are, so the same index is the same layout.
func TestTheSameProgramsMakeTheSameImages(t *testing.T) {
	one, two := must[[]byte](t)(os.ReadFile(filepath.Join(images(t), "index.json"))), must[[]byte](t)(os.ReadFile(filepath.Join(images(t), "index.json")))
	if string(one) != string(two) {
		t.Errorf("two runs differ:\n%s\n%s", one, two)
	}
}

// The images do not run as root, and have roots of trust and a folder for a storage. The Dockerfile makes the same image.
func TestAnImageHasWhatTheCollectorNeeds(t *testing.T) {
	layout := images(t)
	for _, arch := range []string{"amd64", "arm64"} {
		folder := t.TempDir()
		config, err := unpack(layout, arch, folder)
		if err != nil {
			t.Fatal(err)
		}
		if config.User != "10001:10001" || !slices.Equal(config.Entrypoint, []string{"/otelcol-x"}) || !slices.Equal(config.Cmd, []string{"--config=/" + configPath}) {
			t.Errorf("%s: %v", arch, config)
		}
		for _, name := range []string{"otelcol-x", configPath, "var/lib/otelcol"} {
			must[os.FileInfo](t)(os.Stat(filepath.Join(folder, name)))
		}
		roots := 0
		text := must[[]byte](t)(os.ReadFile(filepath.Join(folder, "etc/ssl/certs/ca-certificates.crt")))
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			roots++
		}
		if roots < 50 {
			t.Errorf("%s: %d roots of trust", arch, roots)
		}
	}
	dockerfile := string(must[[]byte](t)(os.ReadFile("../../../Dockerfile")))
	for _, want := range []string{
		"FROM scratch\n", "\nUSER 10001:10001\n", `ENTRYPOINT ["/otelcol-tool-correctness"]`, `CMD ["--config=/` + configPath + `"]`,
		"/var/lib/otelcol\n", "internal/tools/release/image.yaml", "/etc/ssl/certs/ca-certificates.crt",
	} {
		if !strings.Contains(dockerfile, want) {
			t.Errorf("Dockerfile must have %q", want)
		}
	}
}

// A bill lists every module of the program, with the version and the checksum that the program itself says.
func TestTheBillListsEveryModule(t *testing.T) {
	program, bill := must[string](t)(os.Executable()), filepath.Join(t.TempDir(), "bill") // this test's own program has modules, too
	if err := sample.writeBill("x", program, bill); err != nil {
		t.Fatal(err)
	}
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(must[*os.File](t)(os.Open(bill)), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	deps := must[*buildinfo.BuildInfo](t)(buildinfo.ReadFile(program)).Deps
	if got := len(*bom.Components); got != len(deps)+1 || got < 5 {
		t.Fatalf("%d components, want the %d modules and the standard library", got, len(deps))
	}
	for i, m := range deps {
		c := (*bom.Components)[i+1]
		if c.Name != m.Path || c.Version != m.Version || (*c.Properties)[0].Value != m.Sum {
			t.Errorf("component %v, want %v", c, m)
		}
	}
}
