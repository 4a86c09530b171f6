package expect

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A file is one file at one look, which costs one stat. Two looks are equal if the path leads to the same file, with the same size,
// time and permissions. So a replaced symbolic link, as Kubernetes replaces those of a ConfigMap, is a change, and so is a rename
// over a file.
type file struct {
	path string
	// err says why the file cannot be used, such as that it does not exist. It is nil for a regular file.
	err error

	target string // the path behind symbolic links
	info   fs.FileInfo
}

// look finds the files that patterns name, each once, in the order of their paths. A pattern is that of [filepath.Match]. A pattern
// without *, ? and [ names one file, which is found even if it does not exist. empty are the other patterns that match no file.
func look(patterns []string) (files []file, empty []string) {
	for _, pattern := range patterns {
		paths := []string{pattern}
		if isGlob(pattern) {
			dir := filepath.Dir(pattern)
			if _, err := os.ReadDir(dir); err != nil && !isGlob(dir) && !errors.Is(err, fs.ErrNotExist) {
				files = append(files, file{path: dir, err: unusable(err)}) // its files are not known
				continue
			}
			if paths, _ = filepath.Glob(pattern); len(paths) == 0 { // the only error is a bad pattern, which matches nothing
				empty = append(empty, pattern)
			}
		}
		for _, path := range paths {
			path = filepath.Clean(path)
			if !slices.ContainsFunc(files, func(f file) bool { return f.path == path }) {
				files = append(files, lookAt(path))
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, empty
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

func lookAt(path string) file {
	f := file{path: path}
	info, err := os.Stat(path)
	if err != nil {
		f.err = unusable(err)
		if errors.Is(err, fs.ErrNotExist) {
			f.err = fmt.Errorf("%w%s", f.err, lookedFor(path))
		}
		return f
	}
	f.info = info
	f.target, _ = filepath.EvalSymlinks(path) // stat has just followed them
	switch {
	case info.IsDir():
		f.err = errors.New("is a directory, not a file")
	case !info.Mode().IsRegular():
		f.err = fmt.Errorf("is no regular file (%s)", info.Mode().Type())
	}
	return f
}

// lookedFor says where a relative path leads, and nothing of an absolute one.
func lookedFor(path string) string {
	if at, err := filepath.Abs(path); err == nil && !filepath.IsAbs(path) {
		return " (it was looked for at " + at + ")"
	}
	return ""
}

// unusable is an error of the operating system without the path, which the caller names.
func unusable(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("does not exist")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("may not be read: permission denied")
	case errors.As(err, &path):
		err = path.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}

func (f file) same(g file) bool {
	if f.path != g.path || f.target != g.target || (f.info == nil) != (g.info == nil) {
		return false
	}
	if f.info == nil {
		return f.err.Error() == g.err.Error()
	}
	return os.SameFile(f.info, g.info) && f.info.Size() == g.info.Size() && f.info.Mode() == g.info.Mode() &&
		f.info.ModTime().Equal(g.info.ModTime())
}

// errChanged says that a file changed while it was read, so that what was read may be half of it.
var errChanged = errors.New("changed while it was read")

// read passes the content of a file, of at most limit bytes, to use, and returns the hash of what use read. An error of
// use is returned as it is, so it names the file. read fails with errChanged if the file is not the one that the look found, or changes
// meanwhile.
func (f file) read(limit int64, use func(io.Reader) error) (sum string, err error) {
	if f.err != nil {
		return "", f.at(f.err)
	}
	if f.info.Size() > limit {
		return "", f.at(fmt.Errorf("is %.6g MiB long, and at most %d MiB are read", float64(f.info.Size())/(1<<20), limit>>20))
	}
	opened, err := open(f.path)
	if err != nil {
		return "", f.at(unusable(err))
	}
	defer opened.Close()
	hash := sha256.New()
	err = use(io.TeeReader(io.LimitReader(opened, limit), hash))
	var broken *fs.PathError
	switch {
	case !f.same(lookAt(f.path)):
		err = f.at(errChanged)
	case errors.As(err, &broken):
		err = f.at(unusable(err))
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// open is replaced by tests, because root may read everything.
var open = func(path string) (io.ReadCloser, error) { return os.Open(path) }

// at is an error of the file.
func (f file) at(err error) error { return fmt.Errorf("%s: %w", f.path, err) }
