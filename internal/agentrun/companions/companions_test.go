package companions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/companions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A letter is a span. A run is the letters of its calls; those that it shares with the run that owns them are in capitals.
func run(calls string) (r agentrun.Run) {
	for _, letter := range calls {
		c := agentrun.Call{Span: agentrun.Span{ID: runtest.ID(strings.ToLower(string(letter)))}}
		if letter < 'a' {
			c.Source = agentrun.SourceShared
		}
		r.Calls = append(r.Calls, c)
	}
	return r
}

func spans(letters string) (all []agentrun.Anchor) {
	for _, letter := range letters {
		all = append(all, agentrun.Anchor{Span: agentrun.Span{ID: runtest.ID(string(letter))}, Kind: agentrun.Root})
	}
	return all
}

func letters(all []agentrun.Anchor) string {
	var s strings.Builder
	for i := range all {
		s.WriteString(runtest.Letter(all[i].ID))
	}
	return s.String()
}

func TestWithWhatAHeldSpanLeaves(t *testing.T) {
	for _, tc := range []struct {
		name               string
		runs               []string
		passed, held, stay string
		want               []string // the companions of each run
		wantPassed, kept   string
		reason             string
	}{
		{"the span of a call", []string{"c", "d"}, "", "cd", "", []string{"c", "d"}, "", "", "each leaves with the run of its call"},
		{"a call of two runs", []string{"C", "c"}, "", "c", "", []string{"", "c"}, "", "", "the owner has it"},
		{"a call that the owner does not have yet", []string{"C"}, "", "c", "c", []string{""}, "", "c", "the owner closes later"},
		{"a call whose owner has no run", []string{"C", "C"}, "", "c", "", []string{"c", ""}, "", "", "the first run that has the call has its span"},
		{"a call that waits", []string{"c"}, "", "cd", "d", []string{"c"}, "", "d", "its run may still close"},
		{"a call that was dropped", []string{"c"}, "", "ce", "", []string{"c"}, "e", "", "no run will have it"},
		{"a span that represents no run", []string{"r"}, "rx", "", "", []string{"r"}, "x", "", "a root that is a call leaves with its run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := agentrun.ClosedBatch{Runs: []agentrun.Run{run("cdex")}, Passthrough: spans("p")} // of an earlier closing
			for _, calls := range tc.runs {
				h.Runs = append(h.Runs, run(calls))
			}
			h.Passthrough = append(h.Passthrough, spans(tc.passed)...)
			held := spans(tc.held)
			var stay []agentrun.PendingCall
			for _, letter := range tc.stay {
				stay = append(stay, agentrun.PendingCall{ID: runtest.ID(string(letter))})
			}
			companions.Attach(&h, 1, 1, &held, stay)
			var got []string
			for i := range h.Runs[1:] {
				got = append(got, letters(h.Runs[1+i].Companions))
			}
			require.Equal(t, tc.want, got, tc.reason)
			require.Equal(t, "p"+tc.wantPassed, letters(h.Passthrough), tc.reason)
			require.Equal(t, tc.kept, letters(held), tc.reason)
			require.Empty(t, h.Runs[0].Companions, "the run closed before")
		})
	}
}
