package runtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Held returns how many held spans were released.
func Held(h agentrun.ClosedBatch) int {
	n := len(h.Passthrough)
	for _, r := range h.Runs {
		n += len(r.Anchors) + len(r.Companions)
	}
	return n
}

// Say returns closed runs as sorted lines such as "a: search, refund (anchor)". A run without an anchor is "-", and one that
// is not complete has a "!". A span that leaves without a verdict is "a passthrough", and that of a call "c with a".
func Say(h agentrun.ClosedBatch) []string {
	var lines []string
	for _, r := range h.Runs {
		name, mark := "-", ""
		if len(r.Anchors) > 0 {
			name = Letter(r.Anchors[0].ID)
		}
		if !r.Complete || r.Contradicted {
			mark = "!"
		}
		var calls []string
		for _, c := range r.Calls {
			calls = append(calls, c.Name)
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s%s)", name, strings.Join(calls, ", "), r.ClosedBy, mark))
		for _, a := range r.Companions {
			if a.Kind == agentrun.Tool {
				lines = append(lines, Letter(a.ID)+" with "+name)
				continue
			}
			lines = append(lines, Letter(a.ID)+" passthrough")
		}
	}
	for _, a := range h.Passthrough {
		lines = append(lines, Letter(a.ID)+" passthrough")
	}
	slices.Sort(lines)
	return lines
}

// SayRecords returns name, call ID and arguments of each record of a call, as far as it has them.
func SayRecords(calls []agentrun.PendingCall) (all []string) {
	for i := range calls {
		c, arguments := &calls[i], ""
		if c.Arguments().Captured() {
			arguments = string(c.Arguments().AppendJSON(nil))
		}
		all = append(all, strings.Join(strings.Fields(c.Name.Value()+" "+c.CallID+" "+arguments), " "))
	}
	return all
}
