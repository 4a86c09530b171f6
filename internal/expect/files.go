package expect

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
		_, err := filepath.Match(pattern, "")
		under := errs.Under(fmt.Sprintf("%s[%d]", key, i))
		under.Unless(pattern != "", "", "must be a file or a pattern such as /etc/tool-correctness/*.yaml, is empty")
		under.Unless(err == nil, "", "%q is no pattern: a [ needs a ]", pattern)
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
		var decoded []Expectation
		errs.Decode(stated.Elements, &decoded)
		for i := range decoded {
			x := entry{config: &decoded[i], file: stated, path: fmt.Sprintf("[%d]", i)}
			x.Name = cmp.Or(x.config.Name, filepath.Base(f.path)+x.path)
			list = append(list, x)
		}
		return errs.Err()
	})
	return list, sum, err
}

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
	var err error
	switch f.info, err = os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		f.err = errors.New("does not exist" + lookedFor(path))
	case err != nil:
		f.err = unusable(err)
	case f.info.IsDir():
		f.err = errors.New("is a directory, not a file")
	case !f.info.Mode().IsRegular():
		f.err = fmt.Errorf("is no regular file (%s)", f.info.Mode().Type())
	}
	f.target, _ = filepath.EvalSymlinks(path) // stat has just followed them
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
	return fmt.Errorf("cannot be read: %w", cmp.Or(errors.Unwrap(err), err))
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
	if !f.same(lookAt(f.path)) {
		err = f.at(errChanged)
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}

// open is replaced by tests, because root may read everything.
var open = func(path string) (io.ReadCloser, error) { return os.Open(path) }

// at is an error of the file.
func (f file) at(err error) error { return fmt.Errorf("%s: %w", f.path, err) }
