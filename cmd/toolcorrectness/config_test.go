package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every example is valid, and so is a draft for any names of agents and tools.
func TestExamplesAreValid(t *testing.T) {
	t.Setenv("HOME", "/must/not/be/seen")
	for _, folder := range []string{"../../examples", "../../internal/draft/testdata/suggest"} {
		files, err := filepath.Glob(folder + "/*.yaml")
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, name := range files {
			assert.Contains(t, ends(t, exitPassed, "", "validate", "-config", name).stdout, name+": processors::tool_correctness: valid: ")
		}
	}
}
