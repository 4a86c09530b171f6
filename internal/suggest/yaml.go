package suggest

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Options say what is written.
type Options struct {
	// Head is the comment at the top: where the draft comes from.
	Head string
	// Key names the attribute by which the runs of an agent are told apart; empty if they are not.
	Key string
}

// AgentAttribute is the attribute that has the agent's name, whatever wrote the span.
const AgentAttribute = "tool_correctness.agent"

// YAML writes the draft as a collector configuration.
func (d *Draft) YAML(w io.Writer, o Options) error {
	section := object()
	metrics := object()
	for _, ordered := range []bool{false, true} {
		if m := d.metrics[ordered]; m != nil {
			metrics.add(m.name, m.yaml())
		}
	}
	section.add("metrics", metrics)
	expectations := list()
	for _, g := range d.groups {
		expectations.push(g.yaml(o, d.metrics))
	}
	section.add("expectations", expectations)
	processors, whole := object(), object()
	processors.add("tool_correctness", section)
	whole.add("processors", processors)
	whole.HeadComment = comment(o.Head)
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(whole.Node); err != nil {
		return err
	}
	return e.Close()
}

func (m *metric) yaml() node {
	native := object()
	native.add("order", text(map[bool]string{true: "in_order", false: "any"}[m.ordered]))
	if m.arguments {
		native.add("arguments", text("subset"))
	}
	native.add("score", text("f1"))
	threshold := number(strconv.FormatFloat(m.threshold, 'f', -1, 64))
	threshold.LineComment = fmt.Sprintf("the lowest of the given runs has %.3f", m.lowest)
	native.add("threshold", threshold)
	o := object()
	o.add("native", native)
	return o
}

func (g *group) yaml(o Options, metrics map[bool]*metric) node {
	x := object()
	name := text(g.name())
	name.LineComment = runs(len(g.runs))
	x.add("name", name)
	x.add("when", text(g.when(o.Key)))
	if len(metrics) > 1 {
		names := list()
		names.push(text(metrics[g.ordered].name))
		x.add("metrics", names)
	}
	tools := list()
	for _, t := range g.tools {
		tools.push(t.yaml())
	}
	if len(g.tools) == 0 {
		tools.LineComment = "no tool is expected: " + runs(len(g.runs)) + " called none"
	}
	if len(g.left) > 0 {
		tools.HeadComment = comment("Left out, because only one run called them: " + strings.Join(g.left, ", "))
	}
	x.add("tools", tools)
	return x
}

func (g *group) name() string {
	name := g.agent
	if name == "" {
		name = "an agent without a name"
	}
	if g.key != "" {
		name += ", " + g.key
	}
	return name
}

// when is the condition for the runs of the group.
func (g *group) when(key string) string {
	conditions := []string{fmt.Sprintf("attributes[%q] == %s", AgentAttribute, literal(g.agent))}
	if key != "" {
		conditions = append(conditions, fmt.Sprintf("attributes[%s] == %s", strconv.Quote(key), literal(g.key)))
	}
	return strings.Join(conditions, " and ")
}

// literal is a text in a condition. The empty text stands for an attribute that is not there.
func literal(s string) string {
	if s == "" {
		return "nil"
	}
	return strconv.Quote(s)
}

func (t *tool) yaml() node {
	x := object()
	support := fmt.Sprintf("in %d of %s", t.runs, runs(t.all))
	if len(t.varied) > 0 {
		support += strings.Map(visible, "; other arguments: "+strings.Join(t.varied, ", "))
	}
	if len(t.names) == 1 {
		name := text(t.names[0])
		name.LineComment = support
		x.add("name", name)
	} else {
		names := list()
		for _, n := range t.names {
			names.push(text(n))
		}
		names.HeadComment = comment("one of them " + support)
		x.add("any_of", names)
	}
	if len(t.constant) > 0 {
		arguments := object()
		for _, a := range t.constant {
			value := value(a.value)
			if value.Kind == yaml.ScalarNode {
				value.LineComment = fmt.Sprintf("in %d of %d calls", a.calls, t.calls)
			}
			arguments.add(a.key, value)
		}
		x.add("arguments", arguments)
	}
	if t.optional() {
		x.add("optional", boolean(true))
	}
	if t.counted() {
		x.add("count", t.count())
	}
	return x
}

// count is the number of calls.
func (t *tool) count() node {
	count := object()
	if !t.optional() {
		count.add("min", number(strconv.Itoa(t.least)))
	}
	most := number(strconv.Itoa(t.most))
	most.LineComment = fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
	count.add("max", most)
	return count
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}
