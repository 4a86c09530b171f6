package acceptance

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// What the models asked for in vain is known as rejected, and nothing else is.
func TestRejectedRequestsOfRecordings(t *testing.T) {
	known, all := 0, 0
	for _, library := range corpus.All(t) {
		for _, scenario := range library.Scenarios {
			recording := library.Name + "/" + scenario.Name
			var want, got []string
			for _, tool := range scenario.NotExecuted {
				want = append(want, tool.Name)
			}
			if recording == "pydantic-ai@2.68.0/handoff" {
				want = append(want, "transfer_to_order_desk") // the model took up the other framework's script, and "Unknown tool name" was the answer
			}
			all += len(want)
			for _, r := range reportsOf(t, scenario.Requests) {
				for i := range r.Run.Rejected {
					got = append(got, r.Run.Rejected[i].Name)
				}
			}
			slices.Sort(got)
			if got = slices.Compact(got); notRecorded.Rejections[recording] != "" { // two traces may record one run
				assert.Empty(t, got, "not unseen any more, mend the table: %s", recording)
				continue
			}
			assert.Equal(t, want, got, recording)
			known += len(got)
		}
	}
	t.Logf("%d of %d rejected requests are known", known, all)
}
