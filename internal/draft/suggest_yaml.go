package draft

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// AgentAttribute is the attribute that has the agent's name, whatever wrote the span.
const AgentAttribute = "tool_correctness.agent"

// YAML writes the draft as a collector configuration, below a comment. key is the OTTL value that distinguishes the runs of an agent. It may
// be empty.
func (d *Draft) YAML(w io.Writer, key, head string) error {
	expectations := yamlList()
	for _, g := range d.groups {
		expectations.push(g.yaml(key))
	}
	return writeConfig(w, yamlMap("metrics", yamlMap("tool_correctness", d.metric()), "expectations", expectations), head)
}

func (d *Draft) metric() node {
	native := yamlMap("order", map[bool]string{true: "in_order", false: "any"}[d.ordered])
	if d.arguments {
		native.push("arguments", "subset")
	}
	native.push("score", "f1", "threshold", 1)
	return yamlMap("native", native)
}

func (g *group) yaml(key string) node {
	runs, tools := report.Number(len(g.runs), "run"), yamlList()
	for _, t := range g.tools {
		tools.push(t.yaml())
	}
	if len(g.tools) == 0 {
		tools.LineComment = "no tool is expected: " + runs + " called none"
	}
	name := cmp.Or(g.agent, "an agent without a name")
	if text, err := strconv.Unquote(g.key); err == nil {
		name += ", " + text
	} else if g.key != "" {
		name += ", " + g.key
	}
	return yamlMap("name", yamlOf(name).says(runs), "when", g.when(key), "tools", tools)
}

// when is the condition for the runs of the group.
func (g *group) when(key string) string {
	agent := "nil" // an attribute that is not there
	if g.agent != "" {
		agent = strconv.Quote(g.agent)
	}
	condition := fmt.Sprintf("attributes[%q] == %s", AgentAttribute, agent)
	if key != "" {
		condition += fmt.Sprintf(" and %s == %s", key, cmp.Or(g.key, "nil"))
	}
	return condition
}

func (t *tool) yaml() node {
	support := fmt.Sprintf("in %d of %s", t.runs, report.Number(t.all, "run"))
	if len(t.varied) > 0 {
		support += strings.Map(visible, "; other arguments: "+strings.Join(t.varied, ", "))
	}
	x := yamlMap("name", yamlOf(t.name).says(support))
	if len(t.constant) > 0 {
		arguments := yamlMap()
		for _, key := range slices.Sorted(maps.Keys(t.constant)) {
			value := yamlJSON([]byte(t.constant[key]))
			if value.Kind == yaml.ScalarNode {
				value = value.says(fmt.Sprintf("in %d of %d calls", t.calls, t.calls))
			}
			arguments.push(key, value)
		}
		x.push("arguments", arguments)
	}
	if t.optional() {
		x.push("optional", true)
	}
	if t.counted() {
		count, said := yamlMap(), fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
		if t.least == t.most {
			said = fmt.Sprintf("%d calls in a run", t.most)
		}
		if !t.optional() {
			count.push("min", t.least)
		}
		count.push("max", yamlOf(t.most).says(said))
		x.push("count", count)
	}
	return x
}
