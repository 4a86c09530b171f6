package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// again builds the release a second time, from a copy of the checkout in another folder, and compares all checksums.
func (r *release) again(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "release-again-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root := filepath.Join(dir, "checkout")
	names, err := r.output(ctx, r.root, nil, "git", "-c", "safe.directory="+r.root, "ls-files", "-co", "--exclude-standard", "-z")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(r.root, name), filepath.Join(root, name)); err != nil {
			return err
		}
	}
	second := *r
	second.root, second.out = root, filepath.Join(dir, "release")
	if err := second.build(ctx); err != nil {
		return err
	}
	one, err1 := os.ReadFile(filepath.Join(r.out, checksums))
	two, err2 := os.ReadFile(filepath.Join(second.out, checksums))
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if !bytes.Equal(one, two) {
		return fmt.Errorf("two builds differ:\n%s", differences(string(one), string(two)))
	}
	fmt.Println("release: two builds in two folders, " + strconv.Itoa(bytes.Count(one, []byte("\n"))) + " files, the same bytes")
	return nil
}

// differences are the lines that only one of two texts has.
func differences(one, two string) string {
	var only []string
	for line := range strings.Lines(one) {
		if !strings.Contains(two, line) {
			only = append(only, "first:  "+line)
		}
	}
	for line := range strings.Lines(two) {
		if !strings.Contains(one, line) {
			only = append(only, "second: "+line)
		}
	}
	return strings.Join(only, "")
}

func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil // removed, and not committed
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, info.Mode()))
}
