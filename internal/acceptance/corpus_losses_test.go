package acceptance

import (
	"path"
	"slices"
)

// part is a part of a run that an instrumentation may not record.
type part string

const (
	lostCalls      part = "calls"          // no span records the calls
	lostNames      part = "names"          // a call has the name of the tool's class
	lostArguments  part = "arguments"      // the arguments are nowhere in the spans
	lostErrors     part = "errors"         // whether a call failed is nowhere in the spans
	lostAgents     part = "agents"         // the name of the agent that the application started is nowhere in the spans
	lostSubAgents  part = "sub-agents"     // the name of an agent that another one calls is nowhere in the spans
	lostRuns       part = "runs"           // the spans do not show which calls belong to one run
	lostEmptyRuns  part = "empty runs"     // a run without calls looks like a span that is no agent
	lostRefusals   part = "refusals"       // only the text of a result says that a requested tool was not executed
	lostHosted     part = "hosted calls"   // calls that the model's provider made are nowhere in the spans
	lostWaits      part = "waits"          // a call that waits for a person has a span like that of one that returned nothing
	lostDuplicates part = "duplicate runs" // two traces record one run, and nothing in them says so
)

// loss is a part that an instrumentation does not record in some scenarios.
type loss struct {
	library, scenario string // patterns
	part              part
	reason            string
}

// notRecorded is testdata/losses.yaml.
var notRecorded = fromTestdata[struct {
	Losses     [][4]string
	Rejections map[string]string
	Outputs    [][3]string
}]("losses")

// losses lists only parts that no reader could find in the spans.
var losses = func() (all []loss) {
	for _, row := range notRecorded.Losses {
		all = append(all, loss{row[0], row[1], part(row[2]), row[3]})
	}
	return all
}()

// lostParts is the losses of a scenario.
type lostParts []*loss

func lossesOf(library, scenario string) lostParts {
	var lost lostParts
	for i := range losses {
		if matches(losses[i].library, library) && matches(losses[i].scenario, scenario) {
			lost = append(lost, &losses[i])
		}
	}
	return lost
}

func (l lostParts) parts() map[part]bool {
	parts := make(map[part]bool, len(l))
	for _, loss := range l {
		parts[loss.part] = true
	}
	return parts
}

// without returns all losses except the one at i.
func (l lostParts) without(i int) lostParts {
	return slices.Delete(slices.Clone(l), i, i+1)
}

func matches(pattern, name string) bool {
	found, _ := path.Match(pattern, name)
	return found
}
