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
// be empty. With a dataset, that file has the expectations.
func (d *Draft) YAML(w io.Writer, key, dataset, head string) error {
	expectations := yamlList()
	if dataset != "" {
		expectations.push(yamlMap("name", "drafted", "dataset", yamlMap("file", dataset, "key", key)))
	} else {
		for _, g := range d.groups {
			expectations.push(g.yaml(key))
		}
	}
	return writeConfig(w, yamlMap("metrics", yamlMap("tool_correctness", d.metric()), "expectations", expectations), head)
}

// Dataset writes the expectations as the cases of a dataset, which is YAML.
func (d *Draft) Dataset(w io.Writer) error {
	cases := yamlList()
	for _, g := range d.groups {
		x := yamlMap("key", yamlText(g.text()).says(report.Number(len(g.runs), "run")))
		g.addTools(x)
		cases.push(x)
	}
	return write(w, cases)
}

// unlike is the score below which a threshold says little.
const unlike = 0.5

func (d *Draft) metric() node {
	native := yamlMap("order", map[bool]string{true: "in_order", false: "any"}[d.ordered])
	if d.arguments {
		native.add("arguments", "subset")
	}
	said := fmt.Sprintf("the lowest of the given runs has %.3f", d.lowest)
	if d.lowest < unlike {
		said += "; the runs differ a lot: divide them with -key, or raise this"
	}
	native.add("score", "f1")
	native.add("threshold", yamlWord(fmt.Sprint(d.threshold())).says(said))
	return yamlMap("native", native)
}

func (g *group) yaml(key string) node {
	x := yamlMap("name", yamlText(g.name()).says(report.Number(len(g.runs), "run")), "when", g.when(key))
	g.addTools(x)
	return x
}

func (g *group) addTools(x node) {
	tools := yamlList()
	for _, t := range g.tools {
		tools.push(t.yaml())
	}
	if len(g.tools) == 0 {
		tools.LineComment = "no tool is expected: " + report.Number(len(g.runs), "run") + " called none"
	}
	if len(g.left) > 0 {
		tools.HeadComment = comment("Left out, because only one run called them: " + strings.Join(g.left, ", "))
	}
	x.add("tools", tools)
}

// text is the key as a text.
func (g *group) text() string {
	if text, err := strconv.Unquote(g.key); err == nil {
		return text
	}
	return g.key
}

func (g *group) name() string {
	name := g.agent
	if name == "" {
		name = "an agent without a name"
	}
	if g.key != "" {
		name += ", " + g.text()
	}
	return name
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
	x := yamlMap("name", yamlText(t.name).says(support))
	if len(t.constant) > 0 {
		arguments := yamlMap()
		for _, key := range slices.Sorted(maps.Keys(t.constant)) {
			value := yamlJSON(t.constant[key])
			if value.Kind == yaml.ScalarNode {
				value = value.says(fmt.Sprintf("in %d of %d calls", t.calls, t.calls))
			}
			arguments.add(key, value)
		}
		x.add("arguments", arguments)
	}
	if len(t.equal) > 0 {
		x.add("where", yamlText(strings.Join(t.equal, " and ")).says(fmt.Sprintf("in %d of %d calls", t.calls, t.calls)))
	}
	if t.optional() {
		x.add("optional", true)
	}
	if t.counted() {
		count, said := yamlMap(), fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
		if t.least == t.most {
			said = fmt.Sprintf("%d calls in a run", t.most)
		}
		if !t.optional() {
			count.add("min", t.least)
		}
		count.add("max", yamlWord(strconv.Itoa(t.most)).says(said))
		x.add("count", count)
	}
	return x
}
