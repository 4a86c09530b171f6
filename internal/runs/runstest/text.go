package runstest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Text writes what closed, a run a line: the agent, the calls in the form of the language, and the doubts. The run of a lost span has
// the agent "?". A call in another turn of a conversation than the first has its number. A call that counts for several runs is "shared", and one that only a model recorded is "asked".
//
//	planner: search#call_search{"q":1}->found failed, weather asked rejected:teleport (limit)
func Text(c *runs.Closed) string {
	var b strings.Builder
	for i := range c.Runs {
		fmt.Fprintln(&b, runText(&c.Runs[i]))
	}
	for i := range c.Passthrough {
		fmt.Fprintln(&b, "passed:", c.Passthrough[i].Data.Name())
	}
	if len(c.Late) > 0 {
		fmt.Fprintln(&b, "late:", len(c.Late))
	}
	return b.String()
}

func runText(r *runs.Run) string {
	spans, copies, calls := []string{"?"}, "", []string(nil)
	if n := len(r.Anchors); n > 0 {
		spans[0] = cmp.Or(r.Anchors[0].Agent, r.Anchors[0].Data.Name())
		if n > 1 {
			copies = fmt.Sprint(" x", n)
		}
	}
	spans[0] += copies
	for i := range r.Companions {
		spans = append(spans, r.Companions[i].Data.Name())
	}
	for i := range r.Calls {
		text := callText(&r.Calls[i])
		if turn := r.Calls[i].Turn; turn > 0 {
			text += fmt.Sprint(" turn:", turn)
		}
		calls = append(calls, text)
	}
	text := strings.TrimSpace(strings.Join(spans, " + ") + ": " + strings.Join(calls, ", "))
	var rejected strings.Builder
	for i := range r.Rejected {
		rejected.WriteString(" rejected:" + r.Rejected[i].Name)
	}
	text += rejected.String()
	if r.Doubts != 0 {
		text += " (" + strings.Join(r.Doubts.Names(), ", ") + ")"
	}
	return text
}

func callText(c *runs.Call) string {
	text := c.Name
	if c.CallID != "" {
		text += "#" + c.CallID
	}
	c.Arguments.Look(func(arguments string) bool { text += arguments; return true })
	c.Output.Look(func(output string) bool {
		if output != "" {
			text += "->" + output
		}
		return true
	})
	return text + map[scoring.CallStatus]string{scoring.StatusOK: " ok", scoring.StatusFailed: " failed"}[c.Status] +
		map[runs.Source]string{runs.Shared: " shared", runs.FromModel: " asked"}[c.Source]
}
