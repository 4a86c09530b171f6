package acceptance

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// Each run of a recorded conversation is a turn, if the spans have its ID. A run that waited for an approval, and continued in another
// trace, is one.
func TestTurnsOfRecordedConversations(t *testing.T) {
	conversations, approvals := 0, 0
	for _, library := range corpus.All(t) {
		for _, scenario := range library.Scenarios {
			if scenario.Name != "multi_turn" && scenario.Name != "approval" {
				continue
			}
			reports := reportsWith(t, scenario.Requests, func(c *toolcorrectnessprocessor.Config) { c.Run.Scope = "conversation" })
			if len(reports) != 1 || reports[0].Run.Conversation == "" {
				continue
			}
			var want, got [3]string
			for i, r := range truth(t, library.Name, scenario) {
				if scenario.Name == "approval" {
					i = 0
				}
				for _, c := range r.calls {
					want[i] += c.name + " "
				}
			}
			for _, c := range reports[0].Run.Calls {
				got[c.Turn] += c.Name + " "
			}
			assert.Equal(t, want, got, "%s/%s", library.Name, scenario.Name)
			if scenario.Name == "approval" {
				approvals++
			} else {
				conversations++
			}
		}
	}
	assert.GreaterOrEqual(t, conversations, 45)
	assert.GreaterOrEqual(t, approvals, 6)
}
