package runtest

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// CheckPin compares bytes with testdata/pins/NAME.hex, or with update writes them there. Records of an earlier build must
// mean the same to this one.
func CheckPin(t *testing.T, name string, got []byte, update bool) {
	t.Helper()
	file := filepath.Join("testdata", "pins", name+".hex")
	if update {
		if err := os.WriteFile(file, []byte(dumped(got)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), dumped(got)); diff != "" {
		t.Errorf("stored bytes of an earlier build mean something else now (-pinned +written):\n%s", diff)
	}
}

// Pinned returns the bytes of testdata/pins/NAME.hex.
func Pinned(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "pins", name+".hex"))
	if err != nil {
		tb.Fatal(err)
	}
	data, err := hex.DecodeString(strings.ReplaceAll(string(text), "\n", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// dumped is data as lines of 32 hexadecimal digits.
func dumped(data []byte) string {
	var lines strings.Builder
	for len(data) > 0 {
		n := min(16, len(data))
		lines.WriteString(hex.EncodeToString(data[:n]) + "\n")
		data = data[n:]
	}
	return lines.String()
}
