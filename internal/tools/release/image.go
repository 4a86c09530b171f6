package main

import (
	"archive/tar"
	"bytes"
	_ "embed" // the image's configuration
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/match"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	user       = 10001 // runs the collector; it owns the storage and nothing else
	configPath = "etc/otelcol-tool-correctness/config.yaml"
)

//go:embed image.yaml
var config []byte

// writeImage writes a layout of an index, with an image for each program linux-ARCH/NAME in a folder.
func (r *release) writeImage(binaries, dir string) error {
	labels := map[string]string{
		"org.opencontainers.image.title": r.name, "org.opencontainers.image.description": r.description,
		"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0",
	}
	base, err := r.layer(baseFiles()) // what changes seldom is a layer of its own
	if err != nil {
		return err
	}
	programs, err := filepath.Glob(filepath.Join(binaries, "linux-*", r.name))
	if err != nil {
		return err
	}
	var images v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, path := range programs { // sorted
		program, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		top, err := r.layer([]file{{r.name, 0o755, 0, program}})
		if err != nil {
			return err
		}
		platform := &v1.Platform{OS: "linux", Architecture: strings.TrimPrefix(filepath.Base(filepath.Dir(path)), "linux-")}
		image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), &v1.ConfigFile{
			OS: platform.OS, Architecture: platform.Architecture, Created: v1.Time{Time: r.time}, RootFS: v1.RootFS{Type: "layers"},
			Config: v1.Config{
				User: fmt.Sprintf("%d:%d", user, user), Entrypoint: []string{"/" + r.name}, Cmd: []string{"--config=/" + configPath}, Labels: labels,
				ExposedPorts: map[string]struct{}{"4317/tcp": {}, "4318/tcp": {}, "8888/tcp": {}, "13133/tcp": {}},
			},
		})
		if err != nil {
			return err
		}
		history := v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "make release"}
		image, err = mutate.Append(image,
			mutate.Addendum{Layer: base, MediaType: types.OCILayer, History: history}, mutate.Addendum{Layer: top, MediaType: types.OCILayer, History: history})
		if err != nil {
			return err
		}
		images = mutate.AppendManifests(images, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: platform}})
	}
	images = mutate.Annotations(images, labels).(v1.ImageIndex) //nolint:forcetypeassert // it returns what it was given
	// A layout's own index lists images by name, so that a registry gets the index of all platforms as one.
	outer := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: images, Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": r.version}},
	})
	written, err := layout.Write(dir, outer)
	if err != nil {
		return err
	}
	index, err := written.ImageIndex()
	if err != nil {
		return err
	}
	return validate.Index(index) // every digest, size and media type
}

// A file is a file or, with a slash at its name's end, a folder of a layer.
type file struct {
	name string
	mode int64
	user int
	data []byte
}

// baseFiles are the roots of trust, the storage, and the configuration that runs unless another one is mounted.
func baseFiles() []file {
	var roots bytes.Buffer
	for root := range bundle.Roots() {
		_ = pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes everything
	}
	return []file{
		{"etc/", 0o755, 0, nil},
		{"etc/passwd", 0o644, 0, fmt.Appendf(nil, "otelcol:x:%d:%d::/:/sbin/nologin\n", user, user)},
		{"etc/ssl/", 0o755, 0, nil},
		{"etc/ssl/certs/", 0o755, 0, nil},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, 0, roots.Bytes()},
		{filepath.Dir(configPath) + "/", 0o755, 0, nil},
		{configPath, 0o644, 0, config},
		{"var/", 0o755, 0, nil},
		{"var/lib/", 0o755, 0, nil},
		{"var/lib/otelcol/", 0o700, user, nil},
	}
}

func (r *release) layer(files []file) (v1.Layer, error) {
	var data bytes.Buffer
	t := tar.NewWriter(&data)
	for _, f := range files { // without a type, the slash makes a folder
		h := &tar.Header{Name: f.name, Mode: f.mode, Uid: f.user, Gid: f.user, Size: int64(len(f.data)), ModTime: r.time, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data.Bytes())), nil }
	return tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer))
}

// unpack unpacks the image for linux on an architecture into a folder.
func unpack(dir, arch, folder string) (v1.Config, error) {
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return v1.Config{}, err
	}
	indexes, err := partial.FindIndexes(outer, match.MediaTypes(string(types.OCIImageIndex)))
	if err != nil {
		return v1.Config{}, err
	}
	images, err := partial.FindImages(indexes[0], match.Platforms(v1.Platform{OS: "linux", Architecture: arch}))
	if err != nil || len(images) == 0 {
		return v1.Config{}, errors.Join(err, fmt.Errorf("%s has no image for linux/%s", dir, arch))
	}
	c, err := images[0].ConfigFile()
	if err != nil {
		return v1.Config{}, err
	}
	untar := exec.Command("tar", "-xp", "-C", folder) //nolint:gosec,noctx // G204: the folder is the caller's
	untar.Stdin, untar.Stderr = mutate.Extract(images[0]), os.Stderr
	return c.Config, untar.Run()
}
