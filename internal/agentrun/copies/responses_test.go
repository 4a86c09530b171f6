package copies_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A copy of a response may be cut off while another is not. The one that is kept says so, in any order of arrival.
func TestACopyThatWasNotReadIsNoted(t *testing.T) {
	read := agentrun.ModelResponse{Span: runtest.At("m 1-2"), Requests: []agentrun.ToolRequest{{Name: "search"}}}
	unread := agentrun.ModelResponse{Span: read.Span, Unread: true}
	for _, all := range [][]agentrun.ModelResponse{{read, unread}, {unread, read}} {
		d := copies.DropResponses(all, new(compare.Work))
		require.Len(t, d.Kept, 1)
		require.Equal(t, read.Requests, d.Kept[0].Requests)
		require.True(t, d.Kept[0].Unread)
	}
}
