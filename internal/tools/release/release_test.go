package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"debug/buildinfo"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

var epoch = time.Unix(1_800_000_000, 0).UTC()

// A changelog's section about the version is what its readers get; what is unreleased stands in until there is one.
func TestNotesAreTheVersionsSection(t *testing.T) {
	for _, tc := range []struct{ name, changelog, want, reason string }{
		{"its own", "# Changelog\n\n## 0.1.0\n\n- a\n\n### More\n\n- b\n\n## 0.0.9\n\n- c\n", "- a\n\n### More\n\n- b\n", "parts below a section belong to it"},
		{"with a date", "## Unreleased\n\n- n\n\n## v0.1.0 (2026-11-22)\n\n- a\n", "- a\n", "a title may say more than the version"},
		{"unreleased", "# Changelog\n\n## Unreleased\n\n- n\n", "- n\n", "before the section has its title, a trial build is possible"},
		{"the next is empty", "## 0.1.0\n\n## Unreleased\n\n- n\n", "- n\n", "an empty section says nothing"},
		{"none", "# Changelog\n\n## 0.0.9\n\n- c\n", "", "a release without notes is a mistake"},
		{"a longer version", "## 0.1.01\n\n- c\n", "", "0.1.01 is another version"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := section(tc.changelog, "0.1.0")
			if got != tc.want || (err == nil) != (tc.want != "") {
				t.Errorf("section = %q, %v, want %q: %s", got, err, tc.want, tc.reason)
			}
		})
	}
}

// The manifest says name and version, and the environment may say the time.
func TestTheManifestNamesTheRelease(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1800000000")
	r := must[*release](t)(newRelease(t.Context(), filepath.Join("..", "..", ".."), t.TempDir()))
	if r.Name == "" || r.Version == "" || !r.epoch.Equal(epoch) {
		t.Errorf("release = %q %q at %v", r.Name, r.Version, r.epoch)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if _, err := newRelease(t.Context(), filepath.Join("..", "..", ".."), t.TempDir()); err == nil || !strings.Contains(err.Error(), "SOURCE_DATE_EPOCH") {
		t.Errorf("error = %v, want one that names SOURCE_DATE_EPOCH", err)
	}
}

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

func read(t *testing.T, path string) []byte {
	t.Helper()
	return must[[]byte](t)(os.ReadFile(path))
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f := must[*os.File](t)(os.Open(path))
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// fake is a release whose programs are a small file.
func fake(t *testing.T) (*release, []binary) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("a program"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &release{root: filepath.Join("..", "..", ".."), out: t.TempDir(), Name: "otelcol-x", Version: "1.2.3", Description: "d", epoch: epoch}
	var binaries []binary
	for _, p := range platforms {
		binaries = append(binaries, binary{p, r.Name, program}, binary{p, command, program})
	}
	return r, binaries
}

func pack(t *testing.T) *release {
	t.Helper()
	r, binaries := fake(t)
	for _, b := range binaries {
		if err := r.archive(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeImage(binaries); err != nil {
		t.Fatal(err)
	}
	if err := writeChecksums(r.out); err != nil {
		t.Fatal(err)
	}
	return r
}

// The same binaries make the same bytes: archives and the image's layout.
func TestTheSameInputsMakeTheSameBytes(t *testing.T) {
	one, two := read(t, filepath.Join(pack(t).out, checksums)), read(t, filepath.Join(pack(t).out, checksums))
	if lines := bytes.Count(one, []byte("\n")); lines < 20 {
		t.Errorf("%d files, want the archives and the image's layout", lines)
	}
	if !bytes.Equal(one, two) {
		t.Errorf("two runs differ:\n%s\n%s", one, two)
	}
}

// An archive has the program, which is executable, the licence, and no name of a person.
func TestAnArchiveHasWhatItsReaderNeeds(t *testing.T) {
	r, binaries := fake(t)
	if err := r.archive(binaries[0]); err != nil {
		t.Fatal(err)
	}
	z := must[*gzip.Reader](t)(gzip.NewReader(open(t, filepath.Join(r.out, "otelcol-x_1.2.3_linux_amd64.tar.gz"))))
	var names []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if !h.ModTime.Equal(epoch) || h.Uid != 0 || h.Uname != "" || (h.Name == "otelcol-x") != (h.Mode == 0o755) {
			t.Errorf("%s: time %v, user %d %q, mode %o", h.Name, h.ModTime, h.Uid, h.Uname, h.Mode)
		}
	}
	for _, want := range []string{"otelcol-x", "LICENSE", "README.md", "CHANGELOG.md", "examples/gateway.yaml", "examples/scale-out/balancer.yaml"} {
		if !slices.Contains(names, want) {
			t.Errorf("%q is not in %q", want, names)
		}
	}
}

// A bill lists every module of the binary, with the version and the checksum that the binary itself says.
func TestTheBillListsEveryModule(t *testing.T) {
	r, binaries := fake(t)
	b := binaries[0]
	b.path = must[string](t)(os.Executable()) // this test's own binary has modules, too
	if err := r.writeSBOM(b); err != nil {
		t.Fatal(err)
	}
	f := open(t, filepath.Join(r.out, "otelcol-x_1.2.3_linux_amd64.cdx.json"))
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	info := must[*debug.BuildInfo](t)(buildinfo.ReadFile(b.path))
	if got, want := len(*bom.Components), len(info.Deps)+1; got != want || want < 5 {
		t.Fatalf("%d components, want the %d modules and the standard library", got, want-1)
	}
	for i, m := range info.Deps {
		c := (*bom.Components)[i+1]
		if c.Name != m.Path || c.Version != m.Version || (*c.Properties)[0].Value != m.Sum {
			t.Errorf("component %v, want %v", c, m)
		}
	}
	if !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") || bom.SerialNumber == uuid(sha256.Sum256(nil)) {
		t.Errorf("serial number %q is not the binary's own", bom.SerialNumber)
	}
}

// The image does not run as root, and has roots of trust and a folder for a storage.
func TestTheImageRunsAsAnotherUserThanRoot(t *testing.T) {
	r := pack(t)
	for _, arch := range []string{"amd64", "arm64"} {
		image, err := r.imageFor("linux", arch)
		if err != nil || image == nil {
			t.Fatalf("no image for linux/%s: %v", arch, err)
		}
		config := must[*v1.ConfigFile](t)(image.ConfigFile())
		if config.Config.User != "10001:10001" || config.Config.Entrypoint[0] != "/otelcol-x" {
			t.Errorf("user %q, entrypoint %q", config.Config.User, config.Config.Entrypoint)
		}
		dir := t.TempDir()
		if err := unpack(image, dir); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"otelcol-x", configPath, storage} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		text := read(t, filepath.Join(dir, "etc/ssl/certs/ca-certificates.crt"))
		roots := 0
		for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
			if _, err := x509.ParseCertificate(block.Bytes); err != nil {
				t.Error(err)
			}
			roots++
		}
		if roots < 50 {
			t.Errorf("%d roots of trust", roots)
		}
	}
}

// A layout in which a byte was changed is refused.
func TestADamagedLayoutIsRefused(t *testing.T) {
	r := pack(t)
	if err := validLayout(r.layoutDir()); err != nil {
		t.Fatal(err)
	}
	var index struct {
		Manifests []struct{ Digest string }
	}
	if err := json.Unmarshal(read(t, filepath.Join(r.layoutDir(), "index.json")), &index); err != nil {
		t.Fatal(err)
	}
	blob := filepath.Join(r.layoutDir(), "blobs", "sha256", strings.TrimPrefix(index.Manifests[0].Digest, "sha256:"))
	text := read(t, blob)
	text[len(text)-2] ^= 1
	if err := os.WriteFile(blob, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := validLayout(r.layoutDir()); err == nil {
		t.Error("a damaged layout is valid")
	}
}

// The Dockerfile makes the image that the release makes: the same user, entrypoint, configuration and storage.
func TestTheDockerfileMakesTheSameImage(t *testing.T) {
	text := string(read(t, filepath.Join("..", "..", "..", "Dockerfile")))
	for _, want := range []string{
		"FROM scratch\n", "\nUSER 10001:10001\n", `ENTRYPOINT ["/otelcol-tool-correctness"]`, `CMD ["--config=/` + configPath + `"]`,
		"/" + strings.TrimSuffix(storage, "/") + "\n", "internal/tools/release/image.yaml", "/etc/ssl/certs/ca-certificates.crt",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("Dockerfile must have %q", want)
		}
	}
}

// A platform that is not built is an error, and not a release without it.
func TestPlatformsAreChosen(t *testing.T) {
	all := platforms
	t.Cleanup(func() { platforms = all })
	if err := choose("linux/amd64,plan9/amd64"); err == nil || !strings.Contains(err.Error(), "plan9/amd64") {
		t.Errorf("error = %v, want one that names plan9/amd64", err)
	}
	if err := choose("windows/arm64,linux/amd64"); err != nil || !slices.Equal(platforms, []platform{{"windows", "arm64"}, {"linux", "amd64"}}) {
		t.Errorf("platforms = %v, %v", platforms, err)
	}
}
