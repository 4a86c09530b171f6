package main

import (
	"bytes"
	_ "embed" // the image's configuration
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	// user runs the collector in the image; it owns storage and nothing else.
	user = 10001

	configPath = "etc/otelcol-tool-correctness/config.yaml"
	storage    = "var/lib/otelcol/"
)

//go:embed image.yaml
var imageConfig []byte

// writeImage writes the image as an OCI layout, in a folder and as a tar file of it.
func (r *release) writeImage(binaries []binary) error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range binaries {
		if b.os != "linux" || b.name != r.Name {
			continue
		}
		image, err := r.image(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.os, Architecture: b.arch}},
		})
	}
	index = mutate.Annotations(index, r.labels()).(v1.ImageIndex) //nolint:forcetypeassert // it returns what it was given
	// A layout's own index lists images by name, so that a registry gets the index of all platforms as one.
	outer := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": r.Version}},
	})
	dir := r.layoutDir()
	if _, err := layout.Write(dir, outer); err != nil {
		return err
	}
	if err := validLayout(dir); err != nil {
		return err
	}
	entries, err := filesBelow(dir)
	if err != nil {
		return err
	}
	return writeFile(dir+".tar", func(w io.Writer) error { return tarred(w, entries, r.epoch) })
}

func (r *release) layoutDir() string { return r.file(r.Name, "_oci") }

// validLayout reads a layout again and checks every digest, size and media type in it.
func validLayout(dir string) error {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	return validate.Index(index)
}

func (r *release) labels() map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       r.Name,
		"org.opencontainers.image.description": r.Description,
		"org.opencontainers.image.version":     r.Version,
		"org.opencontainers.image.licenses":    "Apache-2.0",
	}
}

// image is made from scratch: what a static binary needs, and the binary.
func (r *release) image(b binary) (v1.Image, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	// What changes seldom is a layer of its own.
	base, err := r.layer(baseEntries())
	if err != nil {
		return nil, err
	}
	top, err := r.layer([]entry{{name: b.name, mode: 0o755, data: program}})
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: b.os, Architecture: b.arch, Created: v1.Time{Time: r.epoch}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:         strconv.Itoa(user) + ":" + strconv.Itoa(user),
			Entrypoint:   []string{"/" + b.name},
			Cmd:          []string{"--config=/" + configPath},
			ExposedPorts: map[string]struct{}{"4317/tcp": {}, "4318/tcp": {}, "8888/tcp": {}, "13133/tcp": {}},
			Labels:       r.labels(),
		},
	})
	if err != nil {
		return nil, err
	}
	var added []mutate.Addendum
	for _, l := range []v1.Layer{base, top} {
		added = append(added, mutate.Addendum{Layer: l, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: r.epoch}, CreatedBy: "make release"}})
	}
	return mutate.Append(image, added...)
}

// baseEntries are the folders, the roots of trust, and the configuration that runs unless another one is mounted.
func baseEntries() []entry {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		_ = pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
	}
	return []entry{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil, "otelcol:x:%d:%d::/:/sbin/nologin\n", user, user)},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: roots.Bytes()},
		{name: filepath.Dir(configPath) + "/", mode: 0o755},
		{name: configPath, mode: 0o644, data: imageConfig},
		{name: "var/", mode: 0o755},
		{name: "var/lib/", mode: 0o755},
		{name: storage, mode: 0o700, uid: user},
	}
}

func (r *release) layer(entries []entry) (v1.Layer, error) {
	var data bytes.Buffer
	if err := tarred(&data, entries, r.epoch); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
}

// filesBelow are the files and folders of a folder, in the order of their names.
func filesBelow(dir string) ([]entry, error) {
	var entries []entry
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || path == dir {
			return err
		}
		e := entry{name: filepath.ToSlash(path[len(dir)+1:]), mode: 0o644}
		if info.IsDir() {
			e.name, e.mode = e.name+"/", 0o755
		} else if e.data, err = os.ReadFile(path); err != nil {
			return err
		}
		entries = append(entries, e)
		return nil
	})
	if len(entries) == 0 {
		err = errors.Join(err, fmt.Errorf("%s has no files", dir))
	}
	return entries, err
}
