package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// An entry is a file or, with a slash at its name's end, a folder of an archive.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
	uid  int // in the image only
}

// archive packs a binary with the texts that belong to it: as zip for windows, else as tar.gz.
func (r *release) archive(b binary) error {
	entries, err := r.contents(b)
	if err != nil {
		return err
	}
	pack, ending := tarGzip, ".tar.gz"
	if b.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	return writeFile(r.file(b.name, "_"+b.os+"_"+b.arch+ending), func(w io.Writer) error { return pack(w, entries, r.epoch) })
}

// contents are the files of a binary's archive. The collector's has the examples, too.
func (r *release) contents(b binary) ([]entry, error) {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return nil, err
	}
	entries := []entry{{name: b.file(), mode: 0o755, data: program}}
	names := []string{"LICENSE", "README.md", "CHANGELOG.md"}
	if b.name == r.Name {
		for _, pattern := range []string{"config.schema.yaml", "examples/*.yaml", "examples/*/*.yaml"} {
			found, err := filepath.Glob(filepath.Join(r.root, pattern))
			if err != nil {
				return nil, err
			}
			for _, path := range found { // sorted
				names = append(names, filepath.ToSlash(path[len(r.root)+1:]))
			}
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name: name, mode: 0o644, data: data})
	}
	return entries, nil
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	return write(f)
}

func tarGzip(w io.Writer, entries []entry, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := tarred(z, entries, at); err != nil {
		return err
	}
	return z.Close()
}

// tarred writes entries in their order, with one time and without names of users.
func tarred(w io.Writer, entries []entry, at time.Time) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: at, Uid: e.uid, Gid: e.uid, Format: tar.FormatUSTAR}
		h.Typeflag = tar.TypeReg
		if e.name[len(e.name)-1] == '/' {
			h.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func zipped(w io.Writer, entries []entry, at time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return z.Close()
}
