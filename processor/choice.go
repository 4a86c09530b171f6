package processor

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlcontext"
)

// choice finds, for each metric, the first expectation that is for it and whose condition holds. It spares asking the
// conditions that surely do not hold on a span, and those that could be the first for no metric. Every expectation that
// is asked is in one place: in one index by one of its needs, or among the rest.
type choice struct {
	indexes []index
	rest    []int // the expectations that are asked on every span, ascending
	classes classes
}

// index has the expectations that need one of some values of a path, ascending for each value.
type index struct {
	path    Path
	byValue map[string][]int
}

// newChoice puts each expectation where it has the fewest others beside it: of an environment that all need and an agent
// that one needs, the agent.
func newChoice(metrics []Metric, all []Expectation) choice {
	c := choice{classes: newClasses(metrics, all)}
	crowd := map[Path]map[string]int{}
	for i := range all {
		for _, need := range all[i].Needs {
			if crowd[need.Path] == nil {
				crowd[need.Path] = map[string]int{}
			}
			for _, value := range need.Values {
				crowd[need.Path][value]++
			}
		}
	}
	places := map[Path]int{}
	for i := range all {
		if len(c.classes.asking[i]) == 0 {
			continue
		}
		need, found := rarest(all[i].Needs, crowd)
		if !found {
			c.rest = append(c.rest, i)
			continue
		}
		at, known := places[need.Path]
		if !known {
			at = len(c.indexes)
			places[need.Path] = at
			c.indexes = append(c.indexes, index{path: need.Path, byValue: map[string][]int{}})
		}
		for _, value := range need.Values {
			c.indexes[at].byValue[value] = append(c.indexes[at].byValue[value], i)
		}
	}
	return c
}

// rarest is the need that the fewest expectations share.
func rarest(needs []Equality, crowd map[Path]map[string]int) (best Equality, found bool) {
	fewest := 0
	for _, need := range needs {
		n := 0
		for _, value := range need.Values {
			n += crowd[need.Path][value]
		}
		if !found || n < fewest {
			best, fewest, found = need, n, true
		}
	}
	return best, found
}

// candidates appends to lists the expectations whose condition may hold on the anchor. No two lists share one.
func (c *choice) candidates(lists [][]int, anchor *placed) [][]int {
	if len(c.rest) > 0 {
		lists = append(lists, c.rest)
	}
	for i := range c.indexes {
		x := &c.indexes[i]
		if value, ok := x.path.of(anchor); ok {
			if list := x.byValue[value]; len(list) > 0 {
				lists = append(lists, list)
			}
		}
	}
	return lists
}

// next takes the least number out of ascending lists.
func next(lists [][]int) (n int, ok bool) {
	least := -1
	for i, list := range lists {
		if len(list) > 0 && (least < 0 || list[0] < lists[least][0]) {
			least = i
		}
	}
	if least < 0 {
		return 0, false
	}
	n = lists[least][0]
	lists[least] = lists[least][1:]
	return n, true
}

// of is the string that the path leads to. In OTTL a string equals no value of another type.
func (p Path) of(anchor *placed) (value string, ok bool) {
	switch p.Of {
	case SpanName:
		return anchor.span.Name(), true
	case ScopeName:
		return anchor.scope.Scope().Name(), true
	case SpanAttribute:
		return stringAt(anchor.span.Attributes(), p.Key)
	case ScopeAttribute:
		return stringAt(anchor.scope.Scope().Attributes(), p.Key)
	case ResourceAttribute:
		return stringAt(anchor.resource.Resource().Attributes(), p.Key)
	}
	return "", false
}

func stringAt(attributes pcommon.Map, key string) (string, bool) {
	v, ok := attributes.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return "", false
	}
	return v.Str(), true
}

// choose finds the expectation of each class of metrics for the run of an anchor. No condition is asked twice.
func (p *Processor) choose(ctx context.Context, c *choice, anchor *placed, m *meetings) {
	all := p.set.Expectations
	m.begin(&c.classes, all)
	if m.open == 0 || anchor == nil {
		return // without an anchor nobody can tell whether a condition would have held
	}
	var few [8][]int // more paths than these are allocated
	lists := c.candidates(few[:0], anchor)
	tctx := ottlcontext.New(anchor.resource, anchor.scope, anchor.span)
	defer tctx.Close()
	for i, ok := next(lists); ok && m.open > 0; i, ok = next(lists) {
		asking := c.classes.asking[i]
		if m.isOpen(asking) && (all[i].When == nil || p.holds(ctx, i, tctx, anchor)) {
			m.meet(&all[i], asking)
		}
	}
}

// holds asks the condition of an expectation. One that fails counts as false.
func (p *Processor) holds(ctx context.Context, i int, tctx *ottlspan.TransformContext, anchor *placed) bool {
	holds, err := p.set.Expectations[i].When.Eval(ctx, tctx)
	if err != nil {
		p.failed(ctx, i, anchor, err)
		return false
	}
	return holds
}
