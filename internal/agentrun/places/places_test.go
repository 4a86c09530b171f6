package places

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

func TestOn(t *testing.T) {
	id := pcommon.SpanID{1}
	of := func(p agentrun.Process) agentrun.SpanKey { return agentrun.SpanKey{Process: p, ID: id} }
	for _, tc := range []struct {
		name    string
		several bool
		spans   []agentrun.SpanKey
		by      agentrun.Process
		own     bool
		want    int
		reason  string
	}{
		{"one process", false, []agentrun.SpanKey{of(1)}, 1, true, 0, "it has one place"},
		{"again", false, []agentrun.SpanKey{of(1), of(1)}, 1, true, 1, "the last one counts"},
		{"its own", true, []agentrun.SpanKey{of(1), of(2)}, 2, true, 1, "each process has its own span"},
		{"of an unknown process", true, []agentrun.SpanKey{of(0), of(2)}, 1, true, 0, "it may be its own"},
		{"of another process", true, []agentrun.SpanKey{of(2)}, 1, false, 0, "the process has not sent the span"},
		{"of several others", true, []agentrun.SpanKey{of(3), of(2)}, 1, false, 1, "the one that comes before counts"},
		{"it is something else", true, []agentrun.SpanKey{of(2)}, 1, true, None, "the process has sent the span, and the list does not have it"},
		{"without an ID", true, []agentrun.SpanKey{{Process: 1}}, 1, true, None, "it is not known which span it is"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var x Index
			x.Reset(tc.several)
			for place, span := range tc.spans {
				x.Add(span, place, func(one, another int) bool { return tc.spans[one].Process < tc.spans[another].Process })
			}
			require.Equal(t, tc.want, x.On(id, tc.by, tc.own), tc.reason)
		})
	}
}
