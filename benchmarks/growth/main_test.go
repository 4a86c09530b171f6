package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSmallCurvesAreMeasured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "growth.csv")
	for curve, row := range map[string]string{"runs": "runs,1000,", "calls": "calls,10,"} {
		var printed strings.Builder
		if err := run([]string{"-most", "1000", "-only", curve, "-csv", file}, &printed, &printed); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(printed.String(), "## "+curve) || !strings.Contains(string(written), row) {
			t.Errorf("%s: neither the table nor the file may lack its figures:\n%s\n%s", curve, printed.String(), written)
		}
	}
}
