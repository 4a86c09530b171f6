package suggest

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/yamldoc"
)

// Options say what is written.
type Options struct {
	// Head is the comment at the top: where the draft comes from.
	Head string
	// Key names the attribute that distinguishes the runs of an agent. It may be empty.
	Key string
}

// AgentAttribute is the attribute that has the agent's name, whatever wrote the span.
const AgentAttribute = "tool_correctness.agent"

// YAML writes the draft as a collector configuration.
func (d *Draft) YAML(w io.Writer, o Options) error {
	section := yamldoc.Object()
	metrics := yamldoc.Object()
	for _, ordered := range []bool{false, true} {
		if m := d.metrics[ordered]; m != nil {
			metrics.Add(m.name, m.yaml())
		}
	}
	section.Add("metrics", metrics)
	expectations := yamldoc.List()
	for _, g := range d.groups {
		expectations.Push(g.yaml(o, d.metrics))
	}
	section.Add("expectations", expectations)
	processors, whole := yamldoc.Object(), yamldoc.Object()
	processors.Add("tool_correctness", section)
	whole.Add("processors", processors)
	whole.HeadComment = yamldoc.Comment(o.Head)
	return yamldoc.Write(w, whole)
}

// unlike is the score below which a threshold says little.
const unlike = 0.5

func (m *metric) yaml() yamldoc.Node {
	native := yamldoc.Object()
	native.Add("order", yamldoc.Text(map[bool]string{true: "in_order", false: "any"}[m.ordered]))
	if m.arguments {
		native.Add("arguments", yamldoc.Text("subset"))
	}
	native.Add("score", yamldoc.Text("f1"))
	threshold := yamldoc.Number(strconv.FormatFloat(m.threshold, 'f', -1, 64))
	threshold.LineComment = fmt.Sprintf("the lowest of the given runs has %.3f", m.lowest)
	if m.lowest < unlike {
		threshold.LineComment += "; the runs differ a lot: divide them with -key, or raise this"
	}
	native.Add("threshold", threshold)
	o := yamldoc.Object()
	o.Add("native", native)
	return o
}

func (g *group) yaml(o Options, metrics map[bool]*metric) yamldoc.Node {
	x := yamldoc.Object()
	name := yamldoc.Text(g.name())
	name.LineComment = runs(len(g.runs))
	x.Add("name", name)
	x.Add("when", yamldoc.Text(g.when(o.Key)))
	if len(metrics) > 1 {
		names := yamldoc.List()
		names.Push(yamldoc.Text(metrics[g.ordered].name))
		x.Add("metrics", names)
	}
	tools := yamldoc.List()
	for _, t := range g.tools {
		tools.Push(t.yaml())
	}
	if len(g.tools) == 0 {
		tools.LineComment = "no tool is expected: " + runs(len(g.runs)) + " called none"
	}
	if len(g.left) > 0 {
		tools.HeadComment = yamldoc.Comment("Left out, because only one run called them: " + strings.Join(g.left, ", "))
	}
	x.Add("tools", tools)
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

// literal is a text in a condition. The empty text represents an attribute that is not there.
func literal(s string) string {
	if s == "" {
		return "nil"
	}
	return strconv.Quote(s)
}

func (t *tool) yaml() yamldoc.Node {
	x := yamldoc.Object()
	support := fmt.Sprintf("in %d of %s", t.runs, runs(t.all))
	if len(t.varied) > 0 {
		support += strings.Map(yamldoc.Visible, "; other arguments: "+strings.Join(t.varied, ", "))
	}
	if len(t.names) == 1 {
		name := yamldoc.Text(t.names[0])
		name.LineComment = support
		x.Add("name", name)
	} else {
		names := yamldoc.List()
		for _, n := range t.names {
			names.Push(yamldoc.Text(n))
		}
		names.HeadComment = yamldoc.Comment("one of them " + support)
		x.Add("any_of", names)
	}
	if len(t.constant) > 0 {
		arguments := yamldoc.Object()
		for _, a := range t.constant {
			value := yamldoc.JSON(a.value)
			if value.Kind == yaml.ScalarNode {
				value.LineComment = fmt.Sprintf("in %d of %d calls", a.calls, t.calls)
			}
			arguments.Add(a.key, value)
		}
		x.Add("arguments", arguments)
	}
	if t.optional() {
		x.Add("optional", yamldoc.Bool(true))
	}
	if t.counted() {
		x.Add("count", t.count())
	}
	return x
}

// count is the number of calls.
func (t *tool) count() yamldoc.Node {
	count := yamldoc.Object()
	if !t.optional() {
		count.Add("min", yamldoc.Number(strconv.Itoa(t.least)))
	}
	most := yamldoc.Number(strconv.Itoa(t.most))
	most.LineComment = fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
	if t.least == t.most {
		most.LineComment = fmt.Sprintf("%d calls in a run", t.most)
	}
	count.Add("max", most)
	return count
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}
