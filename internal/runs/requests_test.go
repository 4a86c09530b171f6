package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A call that the model's provider made does not count if the configuration says so.
func TestHostedCallsMayBeLeftOut(t *testing.T) {
	s := closeAll()
	s.IgnoreHosted = true
	require.Equal(t, "planner: draft#call_draft asked\n", s.then(t, new(evidence.Log), `
		agent planner [0-9]
		  model [1-2] hosts:search#call_search answers:draft#call_draft`), "only what the provider ran is left out")
}

// The requests of a long run are compared with its calls in order. One that comes again contradicts another, wherever its call is.
func TestARequestThatRepeatsAnIDInALongRun(t *testing.T) {
	const calls = 100
	for _, tc := range []struct {
		name, all, again string
		want             []string
	}{
		{"none", " messages", "", nil},
		{"an early one", " messages", "asks:search#call_7_AbCdEf{} messages", []string{"copies_differ"}},
		{"a late one", " messages", "asks:search#call_98_AbCdEf{} messages", []string{"copies_differ"}},
		{"an early one, in a response that proves nothing", " messages", "asks:search#call_7_AbCdEf{}", []string{"copies_differ"}},
		{"no response proves anything, so the spans decide", "", "asks:search#call_7_AbCdEf{}", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("agent planner [0-1000]\n")
			for i := range calls {
				call := fmt.Sprintf("search#call_%d_AbCdEf{}", i+1) // with arguments, or each call is completed by its request
				fmt.Fprintf(&b, "  model [%d.1-%[1]d.2] asks:%s%s\n  tool %[2]s [%[1]d.3-%[1]d.4]\n", i+1, call, tc.all)
			}
			if tc.again != "" {
				b.WriteString("  model [800-801] " + tc.again + "\n")
			}
			s, log := closeAll(), new(evidence.Log)
			runstest.Add(t, log, b.String())
			closed := runs.Runs(log, &s.Options, &s.Examination)
			require.Len(t, closed.Runs, 1)
			require.Len(t, closed.Runs[0].Calls, calls)
			require.Equal(t, tc.want, closed.Runs[0].Doubts.Names())
		})
	}
}
