package importer

import (
	"fmt"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/yamldoc"
)

// yaml is the expectation of a case, for the runs whose own span has its key in the attribute.
func (c Case) yaml(attribute string) yamldoc.Node {
	x := yamldoc.Object()
	x.Add("name", yamldoc.Text(c.Name))
	if attribute != "" {
		x.Add("when", yamldoc.Text(fmt.Sprintf("attributes[%q] == %q", attribute, c.Key)))
	}
	if c.Metric != "" {
		metrics := yamldoc.List()
		metrics.Push(yamldoc.Text(c.Metric))
		x.Add("metrics", metrics)
	}
	if c.Tools != nil {
		x.Add("tools", toolsYAML(c.Tools))
	}
	if c.Forbidden != nil {
		x.Add("forbidden", toolsYAML(c.Forbidden))
	}
	if c.MaxCalls != nil {
		limits := yamldoc.Object()
		for _, l := range c.MaxCalls {
			limits.Add(l.Name, whole(l.Max))
		}
		x.Add("max_calls", limits)
	}
	return x
}

func toolsYAML(list []Tool) yamldoc.Node {
	tools := yamldoc.List()
	for _, t := range list {
		tools.Push(t.yaml())
	}
	return tools
}

func (t Tool) yaml() yamldoc.Node {
	tool := yamldoc.Object()
	tool.Add("name", yamldoc.Text(t.Name))
	if t.Min > 0 {
		count := yamldoc.Object()
		count.Add("min", whole(t.Min))
		tool.Add("count", count)
	}
	if t.Arguments != nil {
		tool.Add("arguments", yamldoc.JSON(t.Arguments))
	}
	if t.Match != "" {
		tool.Add("arguments_match", yamldoc.Text(t.Match))
	}
	if len(t.Ignore) > 0 {
		names := yamldoc.List()
		for _, name := range t.Ignore {
			names.Push(yamldoc.Text(name))
		}
		tool.Add("ignore_arguments", names)
	}
	if t.Defaults != nil {
		tool.Add("argument_defaults", yamldoc.JSON(t.Defaults))
	}
	if t.Output != nil {
		tool.Add("output", yamldoc.JSON(t.Output))
	}
	return tool
}

func whole(n int) yamldoc.Node { return yamldoc.Number(strconv.Itoa(n)) }
