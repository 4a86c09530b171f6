package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

func TestASmallRunWritesItsReport(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for 20 seconds; make test-full runs it")
	}
	file := filepath.Join(t.TempDir(), "RESULTS.md")
	var printed, progress strings.Builder
	args := []string{"-rounds", "1", "-spans", "400", "-wait", "100ms", "-hold", "2s", "-workloads", "b_mixed", "-out", file}
	if err := run(args, &printed, &progress); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(written) != printed.String() {
		t.Error("what is written is not what is printed")
	}
	for _, c := range rig.Contenders() {
		if n := strings.Count(string(written), "| "+c.Name+" |"); n < 1 {
			t.Errorf("%s has %d rows, want one at least", c.Name, n)
		}
	}
	for _, text := range []string{"### b_mixed", "groupbytraceprocessor | v0.", "go1.", "## Aims"} {
		if !strings.Contains(string(written), text) {
			t.Errorf("the report does not have %q", text)
		}
	}
}

func TestUnusableOptionsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		reason string
	}{
		{[]string{"-workloads", "e_none"}, "there is no such workload"},
		{[]string{"-rounds", "0"}, "there would be no median"},
		{[]string{"-spans", "-1"}, "there would be no spans"},
	} {
		if err := run(tc.args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken: %s", tc.args, tc.reason)
		}
	}
}

func TestEveryAimIsOfAWorkload(t *testing.T) {
	for _, aim := range aims {
		known := false
		for _, kind := range workload.Kinds() {
			known = known || kind.Name == aim.kind
		}
		if !known {
			t.Errorf("there is no workload %q", aim.kind)
		}
	}
}
