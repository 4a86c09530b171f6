package expectfiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

// load reads and checks all files, and returns the set that they make and its hash.
func (f *Files[E, S]) load(ctx context.Context, now *snapshot) (*Loaded[S], string, error) {
	if err := errors.Join(now.lists.Err(), f.emptied(now)); err != nil {
		return nil, "", err
	}
	list, sum, errs := f.config.Inline(), sha256.New(), []error(nil)
	sum.Write([]byte(f.config.Fingerprint))
	for _, file := range now.lists.Files {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		more, content, err := readList[E](file, f.config.Shorthands)
		errs = append(errs, err)
		list = append(list, more...)
		fmt.Fprintf(sum, "%s %x\n", filepath.Base(file.Path), content)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, "", err
	}
	if paths := f.datasets(list); !slices.Equal(f.paths, paths) {
		f.paths = paths
		if f.used.taken {
			return nil, "", ErrUnsettled // these were not looked at yet
		}
	}
	cases, err := f.loadCases(ctx, now, list, sum)
	if err != nil {
		return nil, "", err
	}
	loaded := new(Loaded[S])
	if loaded.Set, err = f.config.Make(list); err != nil {
		return nil, "", err
	}
	for _, pattern := range now.lists.Empty {
		loaded.Warnings = append(loaded.Warnings, fmt.Sprintf("expectation_files: %q matches no file", pattern))
	}
	if len(list) == 0 {
		loaded.Warnings = append(loaded.Warnings, "expectation_files: the files have no expectation, so no run is judged")
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	loaded.Fingerprint = hash[:8]
	f.cases = cases
	return loaded, hash, nil
}

// datasets are the paths of the datasets of a list.
func (f *Files[E, S]) datasets(list []Entry[E]) (paths []string) {
	for _, x := range list {
		if path := f.config.Dataset(x.Config); path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// loadCases reads the datasets of a list, except those that have not changed, and gives them to it. now gets the look at
// them, because the first look does not know yet which they are.
func (f *Files[E, S]) loadCases(ctx context.Context, now *snapshot, list []Entry[E], sum io.Writer) (map[string]*dataset.Cases, error) {
	now.datasets = filewatch.Look(f.datasets(list))
	if err := now.datasets.Err(); err != nil {
		return nil, err
	}
	loaded := map[string]*dataset.Cases{}
	var errs []error
	for _, file := range now.datasets.Files {
		c := f.cases[file.Path]
		if c == nil || !c.Same(file) {
			var err error
			if c, err = dataset.Read(ctx, file, f.config.NewCheck); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		loaded[file.Path] = c
		fmt.Fprintf(sum, "%s %x\n", filepath.Base(file.Path), c.Sum)
	}
	for i := range list {
		if path := f.config.Dataset(list[i].Config); path != "" {
			list[i].Cases = loaded[filepath.Clean(path)]
		}
	}
	return loaded, errors.Join(errs...)
}

// emptied says which patterns matched files and match none any more. A folder that lost all its files was probably
// unmounted.
func (f *Files[E, S]) emptied(now *snapshot) error {
	var errs []error
	for _, pattern := range now.lists.Empty {
		if f.used.taken && !slices.Contains(f.used.lists.Empty, pattern) {
			errs = append(errs, fmt.Errorf("expectation_files: %q matches no file any more", pattern))
		}
	}
	return errors.Join(errs...)
}
