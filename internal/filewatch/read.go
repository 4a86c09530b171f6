package filewatch

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrChanged says that a file changed while it was read, so that what was read may be half of it.
var ErrChanged = errors.New("changed while it was read")

// Read passes the content of a file to read, which returns an error for content that is wrong. Read fails if the file is
// longer than limit bytes. It fails with [ErrChanged] if the file is not the one that the look found, or changes meanwhile.
func (f File) Read(limit int64, read func(io.Reader) error) error {
	if f.Err != nil {
		return f.at(f.Err)
	}
	if f.info.Size() > limit {
		return f.at(fmt.Errorf("is %s long, and at most %s are read", size(f.info.Size()), size(limit)))
	}
	file, err := open(f.Path)
	if err != nil {
		return f.at(unusable(err))
	}
	defer file.Close()
	if !f.Same(look(f.Path)) {
		return f.at(ErrChanged)
	}
	r := &counted{r: io.LimitReader(file, limit+1)}
	err = read(r)
	if !f.Same(look(f.Path)) || err == nil && r.bytes > limit {
		return f.at(ErrChanged)
	}
	if r.err != nil {
		err = unusable(r.err)
	}
	if err != nil {
		return f.at(err)
	}
	return nil
}

// open is replaced by tests, because root may read everything.
var open = func(path string) (io.ReadCloser, error) { return os.Open(path) }

// at puts the path before each part of an error.
func (f File) at(err error) error {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, part := range parts.Unwrap() {
			errs = append(errs, f.at(part))
		}
		return errors.Join(errs...)
	}
	var line LineError
	if errors.As(err, &line) {
		return fmt.Errorf("%s:%w", f.Path, err)
	}
	return fmt.Errorf("%s: %w", f.Path, err)
}

// A LineError is what is wrong in a line of a file. Lines are counted from 1.
type LineError struct {
	Line int
	Err  error
}

func (e LineError) Error() string { return fmt.Sprintf("%d: %v", e.Line, e.Err) }

func (e LineError) Unwrap() error { return e.Err }

// counted counts bytes, and keeps the error of the operating system.
type counted struct {
	r     io.Reader
	bytes int64
	err   error
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// size is a number of bytes for people.
func size(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= unit.bytes {
			return fmt.Sprintf("%.4g %s", float64(n)/float64(unit.bytes), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
