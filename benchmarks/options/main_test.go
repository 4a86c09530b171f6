package main

import (
	"os"
	"strings"
	"testing"
)

func TestEveryOptionGivesEveryRunItsScore(t *testing.T) {
	dir := t.TempDir()
	var printed, progress strings.Builder
	if err := run([]string{"-rounds", "1", "-spans", "400", "-wait", "50ms", "-dir", dir}, &printed, &progress); err != nil {
		t.Fatal(err)
	}
	for _, c := range (options{}).contenders() {
		if n := strings.Count(printed.String(), "\n| "+c.Name+" |"); n != 4 {
			t.Errorf("%s has %d rows, want one for each of 2 workloads and 2 numbers of senders", c.Name, n)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("%d storages are left behind", len(left))
	}
}

func TestUnusableOptionsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		reason string
	}{
		{[]string{"-rounds", "0"}, "there would be no median"},
		{[]string{"-spans", "-1"}, "there would be no spans"},
		{[]string{"-spans", "8", "-only", "storage", "-dir", "/does/not/exist"}, "a storage needs a directory"},
	} {
		if err := run(tc.args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken: %s", tc.args, tc.reason)
		}
	}
}
