package acceptance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// tally counts calls and runs.
type tally struct {
	happened int // calls that the tools logged
	traced   int // of those, how many the spans record in any way
	found    int
	exact    int // of those, how many with exactly the tool's arguments
	spurious int // found, and never happened
	hidden   int // found although arguments were not recorded

	runs    int // runs that the spans record
	right   int // of those, how many were found with exactly their calls
	phantom int // runs without calls that were found, and never happened
	unseen  int // runs without calls that happened, and were not found
}

func (n tally) String() string {
	return fmt.Sprintf("calls: %3d happened, %3d have a trace, %3d found, %3d exact, %d spurious, %d without arguments; "+
		"runs: %3d, %3d right, %d phantom, %d unseen",
		n.happened, n.traced, n.found, n.exact, n.spurious, n.hidden, n.runs, n.right, n.phantom, n.unseen)
}

func (n *tally) add(o tally) {
	n.happened += o.happened
	n.traced += o.traced
	n.found += o.found
	n.exact += o.exact
	n.spurious += o.spurious
	n.hidden += o.hidden
	n.runs += o.runs
	n.right += o.right
	n.phantom += o.phantom
	n.unseen += o.unseen
}

// check checks what all recordings together must reach.
func (n *tally) check(t *testing.T) {
	assert.Equal(t, n.traced, n.found, "every call that has any trace in the spans is found")
	assert.Zero(t, n.spurious, "and no other")
	assert.GreaterOrEqual(t, float64(n.exact), 0.98*float64(n.found-n.hidden), "with exact arguments, where any were recorded")
	assert.Equal(t, n.runs, n.right, "every run that the spans record is found with its calls")
	assert.Zero(t, n.phantom, "and no other")
	assert.Zero(t, n.unseen, "also if it called nothing")
}

// count compares all calls of a scenario, whichever run they are in, and all its runs.
func (n *tally) count(happened, found []run, lost map[part]bool) {
	names, exact := map[string]int{}, map[string]int{}
	for _, r := range happened {
		for _, c := range r.calls {
			if c.kind == "waiting" && !lost[lostWaits] {
				continue
			}
			n.happened++
			names[c.nameIn(lost)]++
			exact[c.nameIn(lost)+c.arguments]++
			if !lost[lostCalls] && !c.isLost(lost) {
				n.traced++
			}
		}
	}
	for _, r := range found {
		for _, c := range r.calls {
			if c.isLost(lost) {
				continue
			}
			name := c.nameIn(lost)
			if names[name]--; names[name] < 0 {
				n.spurious++
				continue
			}
			n.found++
			if lost[lostArguments] {
				n.hidden++
				continue
			}
			if exact[name+c.arguments]--; exact[name+c.arguments] >= 0 {
				n.exact++
			}
		}
	}
	if !lost[lostRuns] && !lost[lostCalls] {
		n.countRuns(happened, found, lost)
	}
}

// countRuns compares runs by their calls.
func (n *tally) countRuns(happened, found []run, lost map[part]bool) {
	left := map[string]int{}
	for _, line := range callLines(found, lost) {
		left[line]++
	}
	if lost[lostDuplicates] || lost[lostEmptyRuns] {
		delete(left, "")
	}
	for _, line := range callLines(happened, lost) {
		if line == "" && (lost[lostEmptyRuns] || lost[lostDuplicates]) {
			continue
		}
		n.runs++
		switch {
		case left[line] > 0:
			left[line]--
			n.right++
		case line == "":
			n.unseen++
		}
	}
	n.phantom += left[""]
}

// callLines returns a line with the calls of every run, an empty one for a run without calls.
func callLines(runs []run, lost map[part]bool) []string {
	var all []string
	for _, r := range runs {
		var line strings.Builder
		for _, c := range r.calls {
			if c.isLost(lost) {
				continue
			}
			line.WriteString(c.nameIn(lost))
			if !lost[lostArguments] {
				line.WriteString(c.arguments)
			}
			line.WriteString("; ")
		}
		all = append(all, line.String())
	}
	return all
}
