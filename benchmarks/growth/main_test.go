package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSmallCurvesAreMeasuredAndDrawn(t *testing.T) {
	table, plot := filepath.Join(t.TempDir(), "growth.csv"), filepath.Join(t.TempDir(), "growth.svg")
	for curve, row := range map[string]string{"runs": "runs,1000,", "calls": "calls,10,"} {
		var printed strings.Builder
		args := []string{"-most", "1000", "-rounds", "1", "-only", curve, "-csv", table, "-plot", plot}
		if err := run(args, &printed, &printed); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(printed.String(), "## "+curve) || !strings.Contains(string(written), row) {
			t.Errorf("%s: neither the table nor the file may lack its figures:\n%s\n%s", curve, printed.String(), written)
		}
		drawn, err := os.ReadFile(plot)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"<svg", " per ", "</svg>"} {
			if !strings.Contains(string(drawn), text) {
				t.Errorf("%s: the plot does not have %q", curve, text)
			}
		}
	}
}

func TestUnusableOptionsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		reason string
	}{
		{[]string{"-rounds", "0"}, "there would be no median"},
		{[]string{"-most", "100"}, "the curve of runs begins with 1,000"},
	} {
		if err := run(tc.args, &strings.Builder{}, &strings.Builder{}); err == nil {
			t.Errorf("%v is taken: %s", tc.args, tc.reason)
		}
	}
}
