package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
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
	binaries, dir := t.TempDir(), filepath.Join(t.TempDir(), "layout")
	for _, platform := range []string{"linux-amd64", "linux-arm64", "darwin-arm64"} {
		if err := os.Mkdir(filepath.Join(binaries, platform), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(binaries, platform, sample.name), []byte("a program"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := sample.writeImage(binaries, dir); err != nil {
		t.Fatal(err)
	}
	return dir
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
	dir := images(t)
	for _, arch := range []string{"amd64", "arm64"} {
		folder := t.TempDir()
		config, err := unpack(dir, arch, folder)
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

// billOf is the bill of a program, and its text.
func billOf(t *testing.T, program string) (bom *cdx.BOM, text string) {
	t.Helper()
	bill, bom := filepath.Join(t.TempDir(), "bill"), new(cdx.BOM)
	if err := sample.writeBill(program, bill); err != nil {
		t.Fatal(err)
	}
	text = string(must[[]byte](t)(os.ReadFile(bill)))
	if err := cdx.NewBOMDecoder(strings.NewReader(text), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		t.Fatal(err)
	}
	return bom, text
}

// A bill lists every module of the program, with the version and the checksum that the program itself says.
func TestTheBillListsEveryModule(t *testing.T) {
	program := must[string](t)(os.Executable()) // this test's own program has modules, too
	bom, text := billOf(t, program)
	info := must[*buildinfo.BuildInfo](t)(buildinfo.ReadFile(program))
	if own := bom.Metadata.Component; own.Name != filepath.Base(program) || !strings.Contains(own.PackageURL, info.Main.Path) || own.Version != "v1.2.3" {
		t.Errorf("the program is %s %s, want %s v1.2.3", own.Name, own.Version, filepath.Base(program))
	}
	sum := sha256.Sum256(must[[]byte](t)(os.ReadFile(program)))
	if own := bom.Metadata.Component; (*own.Hashes)[0].Value != hex.EncodeToString(sum[:]) {
		t.Errorf("the program has the checksum %v, want %x", *own.Hashes, sum)
	}
	deps := info.Deps
	if got := len(*bom.Components); got != len(deps)+1 || got < 5 {
		t.Fatalf("%d components, want the %d modules and the standard library", got, len(deps))
	}
	for i, m := range deps {
		c := (*bom.Components)[i]
		sum := must[[]byte](t)(base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")))
		if c.Name != m.Path || c.Version != m.Version || (*c.Hashes)[0].Value != hex.EncodeToString(sum) {
			t.Errorf("component %v, want %v", c, m)
		}
	}
	if last := (*bom.Components)[len(deps)]; last.Name != "std" || last.Version != info.GoVersion {
		t.Errorf("%s %s, want std %s", last.Name, last.Version, info.GoVersion)
	}
	graph := *bom.Dependencies
	own := graph[slices.IndexFunc(graph, func(d cdx.Dependency) bool { return d.Ref == bom.Metadata.Component.BOMRef })]
	if got := len(*own.Dependencies); got != len(deps) {
		t.Errorf("the program depends on %d modules, want %d", got, len(deps))
	}
	if _, again := billOf(t, program); again != text || !strings.HasPrefix(bom.SerialNumber, "urn:uuid:") {
		t.Errorf("two bills differ:\n%s\n%s", text, again)
	}
}

// The collector is built with the processor of the folder above. The bill names the module and not the folder.
func TestTheBillNamesTheProcessor(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module " + processorModule + "\n",
		"x.go":         "package x\n",
		"dist/go.mod":  "module collector\nrequire " + processorModule + " v0.0.0\nreplace " + processorModule + " => ..\n",
		"dist/main.go": "package main\nimport _ \"" + processorModule + "\"\nfunc main() {}\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", "program", ".")
	build.Dir, build.Env = filepath.Join(dir, "dist"), append(os.Environ(), "GOFLAGS=-buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	bom, text := billOf(t, filepath.Join(dir, "dist", "program"))
	c := (*bom.Components)[0]
	if c.Name != processorModule || c.Version != "v1.2.3" || !strings.HasPrefix(c.BOMRef, "pkg:golang/"+processorModule+"@v1.2.3") {
		t.Errorf("%+v", c)
	}
	if other, _ := billOf(t, must[string](t)(os.Executable())); other.SerialNumber == bom.SerialNumber {
		t.Errorf("two programs have the number %s", bom.SerialNumber)
	}
	if strings.Contains(text, "golang/..") {
		t.Errorf("the bill names the folder:\n%s", text)
	}
}
