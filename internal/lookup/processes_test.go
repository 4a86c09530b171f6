package lookup_test

import (
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/processid"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
)

// The table only saves work: its result always equals the hash, after any number of resources.
func TestAProcessIsTheSameFromTheTableAndFromTheHash(t *testing.T) {
	const resources = 5000 // more than the table remembers
	p := lookup.NewProcesses()
	var room []byte
	for round := range 2 {
		for i := range resources {
			r := pcommon.NewResource()
			r.Attributes().PutStr("service.instance.id", strconv.Itoa(i))
			var got agentrun.Process
			if got, room = p.Of(r, room); got != processid.Of(r) {
				t.Fatalf("round %d, resource %d: process %v, want %v", round, i, got, processid.Of(r))
			}
		}
	}
}
