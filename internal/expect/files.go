package expect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"go.opentelemetry.io/collector/confmap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// Files are the files of a configuration, and what was read of them. They are for one goroutine.
type Files struct {
	config Config

	// seen is the last look, and tried the last one whose files were read. wrong says what is wrong with them, if anything is.
	seen, tried snapshot
	wrong       error
	// used is the fingerprint of the last good set, and empty before there is one. unmatched are its patterns without a file, and cases its
	// datasets.
	used      string
	unmatched []string
	cases     map[string]*caseFile
}

// A snapshot is one look at all files.
type snapshot struct {
	lists    []file
	empty    []string // the patterns with * that match no file
	datasets []file
}

func (s *snapshot) same(t *snapshot) bool {
	return slices.EqualFunc(s.lists, t.lists, file.same) && slices.Equal(s.empty, t.empty) && slices.EqualFunc(s.datasets, t.datasets, file.same)
}

// New returns files that were not looked at yet.
func New(c Config) *Files { return &Files{config: c} }

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

// Read looks at the files. It returns a set if they have changed, and nil if they are those of the last set. At first files are used
// as they are, and so is a dataset that was not named before. Later it returns [evaluate.ErrUnsettled] while they are being written, and
// another error if they are wrong.
func (f *Files) Read(ctx context.Context) (*evaluate.ExpectationSet, error) {
	var now snapshot
	now.lists, now.empty = look(f.config.Patterns)
	for i := range f.tried.datasets {
		now.datasets = append(now.datasets, lookAt(f.tried.datasets[i].path))
	}
	first := f.used == ""
	settled := first || now.same(&f.seen)
	f.seen = now
	switch {
	case !first && now.same(&f.tried):
		return nil, f.wrong
	case !settled:
		return nil, evaluate.ErrUnsettled
	}
	loaded, err := f.load(ctx, &now)
	if !first && errors.Is(err, errChanged) {
		return nil, evaluate.ErrUnsettled
	}
	f.tried, f.wrong = now, err
	if err != nil || loaded.Fingerprint == f.used { // touched, or put back as they were
		return nil, err
	}
	f.used = loaded.Fingerprint
	return loaded, nil
}

// load reads and checks all files, and returns the set that they make.
func (f *Files) load(ctx context.Context, now *snapshot) (*evaluate.ExpectationSet, error) {
	list, sum, errs := f.config.inline(), sha256.New(), []error(nil)
	sum.Write([]byte(f.config.Fingerprint))
	for _, file := range now.lists {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		more, content, err := readList(file)
		errs = append(errs, err)
		list = append(list, more...)
		fmt.Fprintf(sum, "%s %s\n", filepath.Base(file.path), content)
	}
	for _, pattern := range now.empty {
		if f.used != "" && !slices.Contains(f.unmatched, pattern) { // a folder that lost all its files was probably unmounted
			errs = append(errs, fmt.Errorf("expectation_files: %q matches no file any more", pattern))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	cases, err := f.loadCases(ctx, now, list, sum)
	if err != nil {
		return nil, err
	}
	made := configcheck.New()
	loaded := f.config.set(made, list)
	if err := made.Err(); err != nil {
		return nil, err
	}
	for _, pattern := range now.empty {
		loaded.Warnings = append(loaded.Warnings, fmt.Sprintf("expectation_files: %q matches no file%s", pattern, lookedFor(pattern)))
	}
	if len(list) == 0 {
		loaded.Warnings = append(loaded.Warnings, "expectation_files: the files have no expectation, so no run is judged")
	}
	loaded.Fingerprint = hex.EncodeToString(sum.Sum(nil)[:4])
	f.cases, f.unmatched = cases, now.empty
	return &loaded, nil
}

// loadCases reads the datasets of a list, except those that have not changed, and gives them to it. now gets the look at them.
func (f *Files) loadCases(ctx context.Context, now *snapshot, list []entry, sum io.Writer) (map[string]*caseFile, error) {
	paths := map[string]bool{}
	for i := range list {
		if path := list[i].dataset(); path != "" {
			paths[path] = true
		}
	}
	now.datasets = nil
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		now.datasets = append(now.datasets, lookAt(path))
	}
	loaded := map[string]*caseFile{}
	var errs []error
	for _, file := range now.datasets {
		c := f.cases[file.path]
		if c == nil || !c.look.same(file) {
			var err error
			if c, err = readCases(ctx, file, f.config.Telemetry); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		loaded[file.path] = c
		fmt.Fprintf(sum, "%s %s\n", filepath.Base(file.path), c.sum)
	}
	for i := range list {
		list[i].cases = loaded[list[i].dataset()]
	}
	return loaded, errors.Join(errs...)
}

// readList reads a YAML list of expectations. Its errors name the file and a line. sum is the hash of the content.
func readList(f file) (list []entry, sum string, err error) {
	sum, err = f.read(configcheck.MaxYAML, func(r io.Reader) error {
		stated, err := configcheck.ReadYAML(f.path, r, "expectations")
		if err != nil {
			return err
		}
		errs := configcheck.New().Located(stated.Place)
		shaped := errs.Shape(stated.Elements, reflect.TypeFor[[]Expectation]())
		if err := errs.Err(); err != nil {
			return err
		}
		var decoded struct {
			List []Expectation `mapstructure:"list"`
		}
		if err := confmap.NewFromStringMap(map[string]any{"list": shaped}).Unmarshal(&decoded); err != nil {
			return f.at(err)
		}
		for i := range decoded.List {
			x := entry{config: &decoded.List[i], file: stated, path: fmt.Sprintf("[%d]", i)}
			x.Name = cmp.Or(x.config.Name, filepath.Base(f.path)+x.path)
			list = append(list, x)
		}
		return nil
	})
	return list, sum, err
}
