package expectfiles

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

// ErrUnsettled says that files have just changed. They are read when they have stayed the same from one look to the next.
var ErrUnsettled = errors.New("the files have just changed")

// Config says which files there are, and how an expectation E and a set S are made.
type Config[E, S any] struct {
	// Patterns name the files of expectations.
	Patterns []string
	// Inline returns the expectations that stand in no file. They come first.
	Inline func() []Entry[E]
	// Fingerprint is the hash of all that stands in no file.
	Fingerprint string
	// Shorthands are the short forms that an expectation may have.
	Shorthands configcheck.Shorthands
	// Dataset is the path of an expectation's dataset, empty for none.
	Dataset func(*E) string
	// NewCheck makes a check of cases: see [dataset.Read].
	NewCheck func() (dataset.Check, error)
	// Make checks all expectations together and makes a set of them.
	Make func([]Entry[E]) (S, error)
}

// Files are the files of a configuration, and what was read of them. They are for one goroutine.
type Files[E, S any] struct {
	config Config[E, S]

	// seen is the last look, and used the one whose files are the last good set.
	seen, used snapshot
	// tried is the look whose files are wrong, and wrong says why.
	tried snapshot
	wrong error
	// hash is that of the last good set, paths are the datasets that are looked at, and cases what was read of them.
	hash  string
	paths []string
	cases map[string]*dataset.Cases
}

// Loaded is a set that was made of files.
type Loaded[S any] struct {
	Set S
	// Fingerprint is the hash of the configuration and of its files.
	Fingerprint string
	// Warnings are about files.
	Warnings []string
}

// A snapshot is one look at all files. The zero value is none.
type snapshot struct {
	lists, datasets filewatch.Listing
	taken           bool
}

func (s *snapshot) same(t *snapshot) bool {
	return s.taken && t.taken && s.lists.Same(&t.lists) && s.datasets.Same(&t.datasets)
}

// New returns files that were not looked at yet.
func New[E, S any](c Config[E, S]) *Files[E, S] {
	f := &Files[E, S]{config: c}
	f.paths = f.datasets(c.Inline())
	return f
}

// CheckPatterns adds an error under key for each pattern that names nothing.
func CheckPatterns(errs *configcheck.Errors, key string, patterns []string) {
	for i, pattern := range patterns {
		under := errs.Under(fmt.Sprintf("%s[%d]", key, i))
		if pattern == "" {
			under.Add("", "must be a file or a pattern such as /etc/tool-correctness/*.yaml, is empty")
		} else if _, err := filepath.Match(pattern, ""); err != nil {
			under.Add("", "%q is no pattern: a [ needs a ]", pattern)
		}
	}
}

// Read looks at the files. It returns a set if they have changed, and nil if they are those of the last set. It returns
// [ErrUnsettled] while they are being written, and another error if they are wrong.
func (f *Files[E, S]) Read(ctx context.Context) (*Loaded[S], error) {
	now := snapshot{filewatch.Look(f.config.Patterns), filewatch.Look(f.paths), true}
	first := !f.used.taken
	settled := first || now.same(&f.seen)
	f.seen = now
	switch {
	case now.same(&f.used):
		return nil, nil
	case !settled:
		return nil, ErrUnsettled
	case now.same(&f.tried):
		return nil, f.wrong
	}
	loaded, hash, err := f.load(ctx, &now)
	if !first && (errors.Is(err, filewatch.ErrChanged) || errors.Is(err, ErrUnsettled)) {
		return nil, ErrUnsettled
	}
	if err != nil {
		f.tried, f.wrong = now, err
		return nil, err
	}
	f.used, f.tried, f.wrong = now, snapshot{}, nil
	if hash == f.hash {
		return nil, nil // touched, or put back as they were
	}
	f.hash = hash
	return loaded, nil
}
