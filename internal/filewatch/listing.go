package filewatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A File is one file at one look.
type File struct {
	Path string
	// Err says why the file cannot be used, such as that it does not exist. It is nil for a regular file.
	Err error

	target string // the path behind symbolic links
	info   fs.FileInfo
}

// A Listing is what one look found.
type Listing struct {
	// Files are in the order of their paths. No path stands twice.
	Files []File
	// Empty are the patterns with * that match no file.
	Empty []string
}

// Look finds the files that patterns name. A pattern is that of [filepath.Match]. A pattern without *, ? and [ names one
// file, which is in the listing even if it does not exist.
func Look(patterns []string) Listing {
	var l Listing
	seen := map[string]bool{}
	for _, pattern := range patterns {
		paths := []string{pattern}
		if isGlob(pattern) {
			paths = l.glob(pattern)
		}
		for _, path := range paths {
			if path = filepath.Clean(path); !seen[path] {
				seen[path] = true
				l.Files = append(l.Files, look(path))
			}
		}
	}
	slices.SortFunc(l.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return l
}

func isGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

// glob is the paths that a pattern matches. A folder that cannot be read is a file with an error, because its files are
// not known.
func (l *Listing) glob(pattern string) []string {
	dir := filepath.Dir(pattern)
	if _, err := os.ReadDir(dir); err != nil && !isGlob(dir) && !errors.Is(err, fs.ErrNotExist) {
		l.Files = append(l.Files, File{Path: dir, Err: unusable(err)})
		return nil
	}
	paths, _ := filepath.Glob(pattern) // its only error is a bad pattern, which matches nothing
	if len(paths) == 0 {
		l.Empty = append(l.Empty, pattern)
	}
	return paths
}

func look(path string) File {
	f := File{Path: path}
	info, err := os.Stat(path)
	if err != nil {
		f.Err = unusable(err)
		return f
	}
	f.info = info
	f.target, _ = filepath.EvalSymlinks(path) // stat has just followed them
	switch {
	case info.IsDir():
		f.Err = errors.New("is a directory, not a file")
	case !info.Mode().IsRegular():
		f.Err = fmt.Errorf("is no regular file (%s)", info.Mode().Type())
	}
	return f
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
		return fmt.Errorf("cannot be read: %w", path.Err)
	}
	return fmt.Errorf("cannot be read: %w", err)
}

// Same reports whether two looks found the same files, unchanged.
func (l *Listing) Same(m *Listing) bool {
	return slices.EqualFunc(l.Files, m.Files, func(a, b File) bool { return a.Same(b) }) && slices.Equal(l.Empty, m.Empty)
}

// Same reports whether two looks found the same file, unchanged.
func (f File) Same(g File) bool {
	if f.Path != g.Path || f.target != g.target || (f.info == nil) != (g.info == nil) {
		return false
	}
	if f.info == nil {
		return f.Err.Error() == g.Err.Error()
	}
	return os.SameFile(f.info, g.info) && f.info.Size() == g.info.Size() && f.info.Mode() == g.info.Mode() &&
		f.info.ModTime().Equal(g.info.ModTime())
}

// Err joins the errors of the files, each with its path.
func (l *Listing) Err() error {
	var errs []error
	for _, f := range l.Files {
		if f.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", f.Path, f.Err))
		}
	}
	return errors.Join(errs...)
}
