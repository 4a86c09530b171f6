package correlate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// Bytes that are no evidence are an error, and change nothing.
func FuzzRestore(f *testing.F) {
	set := agentrun.Settings{KeepArguments: true, KeepOutput: true, MaxPayload: 1 << 10}
	summary := record.Summary{Process: 10, Span: runtest.At("a 1-2"), Calls: []record.CallSummary{{Name: "search", Start: 11}}}
	f.Add(summary.Evidence())
	f.Fuzz(func(t *testing.T, evidence []byte) {
		s := New(Settings{Settings: set})
		if err := s.RestoreSummary(time.Time{}, evidence); err != nil {
			require.ErrorIs(t, err, record.ErrEvidence)
			require.Zero(t, s.SummaryBytes(), "bytes that are no evidence change nothing")
		} else {
			require.NotZero(t, s.SummaryBytes())
		}
	})
}
