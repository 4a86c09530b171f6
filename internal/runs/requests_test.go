package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A call that the model's provider made does not count if the configuration says so.
func TestHostedCallsMayBeLeftOut(t *testing.T) {
	s := closeAll()
	s.IgnoreHosted = true
	require.Equal(t, "planner: draft#call_draft asked\n", s.then(t, new(evidence.Log), `
		agent planner [0-9]
		  model [1-2] hosts:search#call_search answers:draft#call_draft`), "only what the provider ran is left out")
}
