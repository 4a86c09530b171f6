package draft

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// YAML writes the draft as a collector configuration, below a comment. key is the OTTL value that distinguishes the runs of an agent. It may
// be empty.
func (d *Draft) YAML(w io.Writer, key, head string) error {
	native := options{"order": map[bool]string{true: "in_order", false: "any"}[d.ordered], "score": "f1", "threshold": 1}
	if d.arguments {
		native["arguments"] = "subset"
	}
	x := yamlOf(section{Metrics: options{"tool_correctness": options{"native": native}}, Expectations: []any{}})
	expectations := below(x, "expectations")
	for _, g := range d.groups {
		expectations.Content = append(expectations.Content, g.yaml(key))
	}
	return writeConfig(w, x, head)
}

func (g *group) yaml(key string) *yaml.Node {
	name := cmp.Or(g.agent, "an agent without a name")
	if text, err := strconv.Unquote(g.key); err == nil {
		name += ", " + text
	} else if g.key != "" {
		name += ", " + g.key
	}
	x := yamlOf(Case{Name: name, When: g.when(key), Tools: []Tool{}})
	runs, tools := report.Number(len(g.runs), "run"), below(x, "tools")
	below(x, "name").LineComment = runs
	if len(g.tools) == 0 {
		tools.LineComment = "no tool is expected: " + runs + " called none"
	}
	for _, t := range g.tools {
		tools.Content = append(tools.Content, t.yaml())
	}
	return x
}

// when is the condition for the runs of the group.
func (g *group) when(key string) string {
	agent := "nil" // an attribute that is not there
	if g.agent != "" {
		agent = strconv.Quote(g.agent)
	}
	condition := fmt.Sprintf("attributes[%q] == %s", attributes.Agent, agent)
	if key != "" {
		condition += fmt.Sprintf(" and %s == %s", key, cmp.Or(g.key, "nil"))
	}
	return condition
}

func (t *tool) yaml() *yaml.Node {
	line := Tool{Name: t.name, Optional: t.optional()}
	if len(t.constant) > 0 {
		line.Arguments = t.constant
	}
	if t.counted() {
		line.Count = &Count{Min: t.least, Max: t.most}
		if t.optional() {
			line.Count.Min = 0
		}
	}
	x := yamlOf(line)
	below(x, "name").LineComment = fmt.Sprintf("in %d of %s", t.runs, report.Number(t.all, "run"))
	for key := range t.constant {
		if value := below(below(x, "arguments"), key); value.Kind == yaml.ScalarNode {
			value.LineComment = fmt.Sprintf("in %[1]d of %[1]d calls", len(t.calls))
		}
	}
	if t.counted() {
		said := fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
		if t.least == t.most {
			said = fmt.Sprintf("%d calls in a run", t.most)
		}
		below(below(x, "count"), "max").LineComment = said
	}
	return x
}
