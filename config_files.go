package toolcorrectnessprocessor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// files read the expectations that stand in files. They are a [toolcorrectness.Source].
type files struct {
	config    *Config
	metrics   []toolcorrectness.Metric
	telemetry component.TelemetrySettings

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

// A snapshot is one look at all files. The zero value is none.
type snapshot struct {
	lists, datasets filewatch.Listing
	taken           bool
}

func (s *snapshot) same(t *snapshot) bool {
	return s.taken && t.taken && s.lists.Same(&t.lists) && s.datasets.Same(&t.datasets)
}

func newFiles(c *Config, metrics []toolcorrectness.Metric, telemetry component.TelemetrySettings) *files {
	return &files{config: c, metrics: metrics, telemetry: telemetry, paths: datasetsOf(c.inline())}
}

// checkPatterns adds an error for each pattern that names nothing.
func checkPatterns(errs *configcheck.Errors, patterns []string) {
	for i, pattern := range patterns {
		under := errs.Under(fmt.Sprintf("expectation_files[%d]", i))
		if pattern == "" {
			under.Add("", "must be a file or a pattern such as /etc/tool-correctness/*.yaml, is empty")
		} else if _, err := filepath.Match(pattern, ""); err != nil {
			under.Add("", "%q is no pattern: a [ needs a ]", pattern)
		}
	}
}

// Read is that of [toolcorrectness.Source]. At first files are used as they are. Later a changed file must have stayed the
// same from one look to the next, because a file that is being written changes from look to look.
func (f *files) Read(ctx context.Context) (*toolcorrectness.ExpectationSet, error) {
	now := snapshot{filewatch.Look(f.config.ExpectationFiles), filewatch.Look(f.paths), true}
	first := !f.used.taken
	settled := first || now.same(&f.seen)
	f.seen = now
	switch {
	case now.same(&f.used):
		return nil, nil
	case !settled:
		return nil, toolcorrectness.ErrUnsettled
	case now.same(&f.tried):
		return nil, f.wrong
	}
	set, hash, err := f.load(ctx, &now)
	if !first && (errors.Is(err, filewatch.ErrChanged) || errors.Is(err, toolcorrectness.ErrUnsettled)) {
		return nil, toolcorrectness.ErrUnsettled
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
	return set, nil
}

// load reads and checks all files, and returns the set that they make and its hash.
func (f *files) load(ctx context.Context, now *snapshot) (*toolcorrectness.ExpectationSet, string, error) {
	if err := errors.Join(now.lists.Err(), f.emptied(now)); err != nil {
		return nil, "", err
	}
	list, sum, errs := f.config.inline(), sha256.New(), []error(nil)
	sum.Write([]byte(f.config.fingerprint()))
	for _, file := range now.lists.Files {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		more, content, err := readExpectations(file)
		errs = append(errs, err)
		list = append(list, more...)
		fmt.Fprintf(sum, "%s %x\n", filepath.Base(file.Path), content)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, "", err
	}
	if paths := datasetsOf(list); !slices.Equal(f.paths, paths) {
		f.paths = paths
		if f.used.taken {
			return nil, "", toolcorrectness.ErrUnsettled // nobody has looked at these yet
		}
	}
	loaded, err := f.loadCases(ctx, now, list, sum)
	if err != nil {
		return nil, "", err
	}
	checked := configcheck.New()
	set := f.config.set(checked, list, f.metrics, f.telemetry)
	if err := checked.Err(); err != nil {
		return nil, "", err
	}
	for _, pattern := range now.lists.Empty {
		set.Warnings = append(set.Warnings, fmt.Sprintf("expectation_files: %q matches no file", pattern))
	}
	if len(list) == 0 {
		set.Warnings = append(set.Warnings, "expectation_files: the files have no expectation, so no run is judged")
	}
	hash := hex.EncodeToString(sum.Sum(nil))
	set.Fingerprint = hash[:8]
	f.cases = loaded
	return &set, hash, nil
}

// loadCases reads the datasets of a list, except those that have not changed, and gives them to it. now gets the look at
// them, because the first look does not know yet which they are.
func (f *files) loadCases(ctx context.Context, now *snapshot, list []listed, sum io.Writer) (map[string]*dataset.Cases, error) {
	now.datasets = filewatch.Look(datasetsOf(list))
	if err := now.datasets.Err(); err != nil {
		return nil, err
	}
	loaded := map[string]*dataset.Cases{}
	var errs []error
	for _, file := range now.datasets.Files {
		c := f.cases[file.Path]
		if c == nil || !c.Same(file) {
			var err error
			if c, err = dataset.Read(ctx, file, func() (dataset.Check, error) { return caseCheck(f.telemetry) }); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		loaded[file.Path] = c
		fmt.Fprintf(sum, "%s %x\n", filepath.Base(file.Path), c.Sum)
	}
	for i := range list {
		if d := list[i].Dataset; d != nil {
			list[i].cases = loaded[filepath.Clean(d.File)]
		}
	}
	return loaded, errors.Join(errs...)
}

// emptied says which patterns matched files and match none any more. A folder that lost all its files was probably
// unmounted.
func (f *files) emptied(now *snapshot) error {
	var errs []error
	for _, pattern := range now.lists.Empty {
		if f.used.taken && !slices.Contains(f.used.lists.Empty, pattern) {
			errs = append(errs, fmt.Errorf("expectation_files: %q matches no file any more", pattern))
		}
	}
	return errors.Join(errs...)
}
