package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Run is what an agent did in one good run.
type Run struct {
	// Agent is its name, and Key a value that distinguishes its runs further, as it is written in OTTL. Both may be empty.
	Agent, Key string
	Calls      []scoring.Call
}

// A Draft is a draft of expectations, which share a metric.
type Draft struct {
	groups []*group
	// ordered says that no group varied in its order, and arguments that a tool has some.
	ordered, arguments bool
}

// A group has the runs of one agent, or of one agent and key.
type group struct {
	agent, key string
	runs       []Run
	tools      []*tool
}

// New drafts expectations from good runs. Their order does not matter.
func New(runs []Run) *Draft {
	d := &Draft{groups: grouped(runs), ordered: true}
	for _, g := range d.groups {
		d.ordered = g.draft() && d.ordered
		d.arguments = d.arguments || slices.ContainsFunc(g.tools, func(t *tool) bool { return t.Arguments != nil })
	}
	return d
}

// grouped are the runs by agent and key, sorted.
func grouped(runs []Run) (groups []*group) {
	sorted := slices.SortedStableFunc(slices.Values(runs), func(a, b Run) int { return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Key, b.Key)) })
	for _, r := range sorted {
		if n := len(groups); n == 0 || groups[n-1].agent != r.Agent || groups[n-1].key != r.Key {
			groups = append(groups, &group{agent: r.Agent, key: r.Key})
		}
		last := groups[len(groups)-1]
		last.runs = append(last.runs, r)
	}
	return groups
}

// A tool is one line of a draft, and what supports it.
type tool struct {
	Tool
	runs        int // that called it
	least, most int // calls in a run that called it
	calls       []scoring.Call
}

// draft finds the tools of the group: each call, if all runs made the same calls in the same order, and otherwise each tool once, those
// first that most runs called. It reports whether all runs called them in an order.
func (g *group) draft() (ordered bool) {
	same := !slices.ContainsFunc(g.runs, func(r Run) bool {
		return !slices.EqualFunc(r.Calls, g.runs[0].Calls, func(a, b scoring.Call) bool { return a.Name == b.Name })
	})
	of := map[string]*tool{}
	for _, run := range g.runs {
		counts := map[*tool]int{}
		for i, call := range run.Calls {
			line := call.Name
			if same {
				line = strconv.Itoa(i)
			}
			t := of[line]
			if t == nil {
				t = &tool{Tool: Tool{Name: call.Name}, least: math.MaxInt}
				of[line], g.tools = t, append(g.tools, t)
			}
			counts[t]++
			t.calls = append(t.calls, call)
		}
		for t, n := range counts {
			t.runs, t.least, t.most = t.runs+1, min(t.least, n), max(t.most, n)
		}
	}
	for _, t := range g.tools {
		t.Optional = t.runs < len(g.runs)
		if constant := arguments(t.calls); len(constant) > 0 {
			t.Arguments = constant
		}
		if t.least != 1 || t.most != 1 { // one call is the default
			t.Count = &Count{Min: t.least, Max: t.most}
			if t.Optional {
				t.Count.Min = 0
			}
		}
	}
	if same {
		return true
	}
	slices.SortFunc(g.tools, func(a, b *tool) int {
		return cmp.Or(cmp.Compare(b.runs, a.runs), cmp.Compare(a.Name, b.Name))
	})
	return order(g.tools, g.runs)
}

// order sorts the tools as all runs called them, and reports whether there is such an order. Calls of one tool must not enclose
// those of another.
func order(tools []*tool, runs []Run) bool {
	before := map[[2]string]bool{} // pairs of tools that were called in this order
	for _, run := range runs {
		for i, c := range run.Calls {
			for _, later := range run.Calls[i+1:] {
				before[[2]string{c.Name, later.Name}] = true
			}
		}
	}
	sorted := make([]*tool, 0, len(tools))
	rest := slices.Clone(tools)
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(t *tool) bool {
			return !slices.ContainsFunc(rest, func(other *tool) bool { return other != t && before[[2]string{other.Name, t.Name}] })
		})
		if next < 0 {
			return false
		}
		sorted, rest = append(sorted, rest[next]), slices.Delete(rest, next, next+1)
	}
	copy(tools, sorted)
	return true
}

const (
	// longValue is the length from which a value is left out of the draft, in bytes of JSON.
	longValue = 200
	// fewCalls is how many calls have to agree. A single one says nothing.
	fewCalls = 2
)

// arguments are those that all calls have with one value, by their keys.
func arguments(calls []scoring.Call) map[string]any {
	if len(calls) < fewCalls {
		return nil
	}
	constant := decoded(calls[0].Arguments)
	for i := range calls {
		other := decoded(calls[i].Arguments)
		maps.DeleteFunc(constant, func(key string, value any) bool {
			text, _ := json.Marshal(value) // it was JSON
			return !reflect.DeepEqual(other[key], value) || len(text) > longValue || ambiguous.Match(text)
		})
	}
	return constant
}

// decoded has the values of an object by its keys: none if it was not captured, or is no object.
func decoded(p scoring.Payload) (object map[string]any) {
	d := json.NewDecoder(bytes.NewReader(p.AppendJSON(nil)))
	d.UseNumber()
	_ = d.Decode(&object) // what is no object leaves it nil
	return object
}

// ambiguous finds long numbers and null, which are not the same in every reader of YAML.
var ambiguous = regexp.MustCompile(`[\d.]{16}|\d[eE]|null`)

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
		tools.Content = append(tools.Content, t.yaml(runs))
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

// yaml is the line, with what supports it. runs says how many runs there are.
func (t *tool) yaml(runs string) *yaml.Node {
	x := yamlOf(t.Tool)
	below(x, "name").LineComment = fmt.Sprintf("in %d of %s", t.runs, runs)
	constant, _ := t.Arguments.(map[string]any)
	for key := range constant {
		if value := below(below(x, "arguments"), key); value.Kind == yaml.ScalarNode {
			value.LineComment = fmt.Sprintf("in %[1]d of %[1]d calls", len(t.calls))
		}
	}
	if t.Count != nil {
		said := fmt.Sprintf("%d to %d calls in a run", t.least, t.most)
		if t.least == t.most {
			said = fmt.Sprintf("%d calls in a run", t.most)
		}
		below(below(x, "count"), "max").LineComment = said
	}
	return x
}
