package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Runs are judged with one scratch memory, and yet the receiver of their reports may keep them.
func TestReportsCanBeKept(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		var reports []evaluate.Report
		r.observe = func(report evaluate.Report) { reports = append(reports, report) }
		require.NoError(t, r.send(
			agent("a", "", 1, 9), tool("b", "a", 2, 3, "search"),
			agent("c", "", 1, 9).in(2), tool("d", "c", 2, 3, "fetch").in(2),
		))
		r.after(15*time.Second, 4)
		require.Len(t, reports, 2)
		for _, report := range reports {
			require.Len(t, report.Results, 1)
			called := report.Results[0].Verdict.Alignment.Called
			require.Len(t, called, 1)
			want := report.Run.Calls[0]
			want.Time = scoring.Interval{Start: uint64(want.Start), End: uint64(want.End)}
			require.Equal(t, want.Call, called[0])
		}
	})
}
