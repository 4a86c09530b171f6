// Package testrows reads the rows of data that tests go through.
package testrows

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Read reads a file of YAML: a list of rows, which have no keys but those of T.
func Read[T any](tb testing.TB, name string) []T {
	tb.Helper()
	rows := File[[]T](tb, name)
	require.NotEmpty(tb, rows, name)
	return rows
}

// File reads a file of YAML that has no keys but those of T.
func File[T any](tb testing.TB, name string) (file T) {
	tb.Helper()
	f, err := os.Open(name)
	require.NoError(tb, err)
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	require.NoError(tb, d.Decode(&file), name)
	return file
}
