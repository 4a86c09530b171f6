package verdictmetrics

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// OtherAgents is the name under which metrics count agents that have no name of their own there.
const OtherAgents = "_other"

// agentNames has the names of agents that the metrics of verdicts show. The first names get a place, and keep it until the
// processor ends. So a sender that invents names adds a bounded number of series.
type agentNames struct {
	most int
	seen map[string]struct{}
}

func newAgentNames(most int) agentNames {
	return agentNames{most: most, seen: make(map[string]struct{})}
}

// label is the name of the run's agent as the metrics have it. It is "" if they have no names, or if the agent has none.
func (a *agentNames) label(run *runs.Run) string {
	if a.most == 0 || len(run.Anchors) == 0 || run.Anchors[0].Agent == "" {
		return ""
	}
	name := evaluate.ShownName(run.Anchors[0].Agent)
	if _, known := a.seen[name]; known {
		return name
	}
	if len(a.seen) == a.most {
		return OtherAgents
	}
	a.seen[name] = struct{}{}
	return name
}
