package processor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzChoice makes a configuration and spans from bytes. Choosing finds the expectation that asking every condition in
// order finds, and meets the same failures on the way.
func FuzzChoice(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for size := range 150 {
		data := make([]byte, 4*size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	ask := asker(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := dice(data)
		all := make([]Expectation, d.roll(60))
		for i := range all {
			all[i] = d.expectation(strconv.Itoa(i), ask)
		}
		r := newRig(t, func(s *Settings, _ *sink) { s.Expectations = all })
		c := newChoice(all)
		failures, asked := 0, make([]bool, len(all))
		for range 5 {
			anchor := d.anchor()
			if d.roll(20) == 19 {
				anchor = nil
			}
			want, failed := inOrder(t.Context(), all, anchor)
			require.Same(t, want, r.choose(t.Context(), &c, anchor), "the expectations %v", all)
			for _, i := range failed {
				asked[i] = true
			}
			failures += len(failed)
			require.Equal(t, failures, r.total("condition_errors"))
		}
		for i := range asked {
			require.Equal(t, asked[i], r.warned[i].Load(), "the condition of %d failed", i)
		}
		require.NoError(t, r.telemetry.Shutdown(context.Background()))
	})
}

// inOrder asks every condition until one holds, and tells which ones failed.
func inOrder(ctx context.Context, all []Expectation, anchor *placed) (first *Expectation, failed []int) {
	for i := range all {
		if all[i].When == nil {
			return &all[i], failed
		}
		if anchor == nil {
			return nil, failed
		}
		tctx := ottlspan.NewTransformContextPtr(anchor.resource, anchor.scope, anchor.span)
		holds, err := all[i].When.Eval(ctx, tctx)
		tctx.Close()
		if err != nil {
			failed = append(failed, i)
		} else if holds {
			return &all[i], failed
		}
	}
	return nil, failed
}

// dice are bytes that choose. There is a zero after the last.
type dice []byte

func (d *dice) roll(n int) int {
	if len(*d) == 0 {
		return 0
	}
	x := int((*d)[0]) % n
	*d = (*d)[1:]
	return x
}

// The paths and values of the configurations and spans. A value that is empty is one.
var (
	pathTexts = []string{`attributes["a"]`, `attributes["b"]`, `resource.attributes["a"]`, `scope.attributes["a"]`, `name`, `scope.name`}
	pathKeys  = []Path{{SpanAttribute, "a"}, {SpanAttribute, "b"}, {ResourceAttribute, "a"}, {ScopeAttribute, "a"}, {SpanName, ""}, {ScopeName, ""}}
	values    = []string{"x", "", "7", "true", "y"}
	// others are conditions that need no equality. Some fail on some spans.
	others = []string{`true`, `attributes["a"] != nil`, `Int(ParseJSON(attributes["b"])["x"]) == 1`, `attributes["a"]["b"] == "x"`,
		`not (name == "x")`, `IsMatch(name, "x")`, `attributes["a"] == 7`, `attributes["a"] == resource.attributes["a"]`, `false`}
)

// expectation has a condition and what it needs. Whoever reads conditions may overlook a need.
func (d *dice) expectation(name string, ask func(string) Condition) Expectation {
	p, q, other := d.roll(len(pathTexts)), d.roll(len(pathTexts)), others[d.roll(len(others))]
	v, w := values[d.roll(len(values))], values[d.roll(len(values))]
	one, two := fmt.Sprintf("%s == %q", pathTexts[p], v), fmt.Sprintf("%q == %s", w, pathTexts[q])
	x := Expectation{Name: name}
	var when string
	switch d.roll(9) {
	case 0:
		when = other
	case 1, 2:
		when, x.Needs = one, []Equality{{pathKeys[p], []string{v}}}
	case 3:
		when, x.Needs = one+" and "+two, []Equality{{pathKeys[p], []string{v}}, {pathKeys[q], []string{w}}}
	case 4:
		when, x.Needs = one+" and "+other, []Equality{{pathKeys[p], []string{v}}}
	case 5: // what may fail comes first
		when = other + " and " + one
	case 6:
		when = fmt.Sprintf("%s or %s == %q", one, pathTexts[p], w)
		x.Needs = []Equality{{pathKeys[p], slices.Compact([]string{v, w})}}
	case 7:
		when = one + " or " + other
	case 8:
		if d.roll(8) == 0 {
			return x
		}
		when = one
	}
	x.When = ask(when)
	return x
}

// anchor is a span with values of all types.
func (d *dice) anchor() *placed {
	td := ptrace.NewTraces()
	a := &placed{resource: td.ResourceSpans().AppendEmpty()}
	a.scope = a.resource.ScopeSpans().AppendEmpty()
	a.span = a.scope.Spans().AppendEmpty()
	a.span.SetName(values[d.roll(len(values))])
	a.scope.Scope().SetName(values[d.roll(len(values))])
	d.attribute(a.span.Attributes(), "a")
	d.attribute(a.span.Attributes(), "b")
	d.attribute(a.resource.Resource().Attributes(), "a")
	d.attribute(a.scope.Scope().Attributes(), "a")
	return a
}

func (d *dice) attribute(m pcommon.Map, key string) {
	value := values[d.roll(len(values))]
	switch d.roll(12) {
	case 0:
	case 1:
		m.PutEmpty(key)
	case 2:
		m.PutInt(key, 7)
	case 3:
		m.PutDouble(key, 7)
	case 4:
		m.PutBool(key, true)
	case 5:
		m.PutEmptyBytes(key).FromRaw([]byte(value))
	case 6:
		m.PutEmptySlice(key).AppendEmpty().SetStr(value)
	case 7:
		m.PutEmptyMap(key).PutStr("b", value)
	default:
		m.PutStr(key, value)
	}
}

// asker compiles conditions, each once.
func asker(tb testing.TB) func(text string) Condition {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	compiled := map[string]*ottl.Condition[*ottlspan.TransformContext]{}
	return func(text string) Condition {
		if compiled[text] == nil {
			if compiled[text], err = parser.ParseCondition(text); err != nil {
				panic(err)
			}
		}
		return compiled[text]
	}
}

// counted is a condition that counts how often it is asked.
type counted struct {
	Condition
	asked *int
}

func (c counted) Eval(ctx context.Context, tctx *ottlspan.TransformContext) (bool, error) {
	*c.asked++
	return c.Condition.Eval(ctx, tctx)
}

// Of a thousand conditions only those are asked whose need is met. Where all share one need and each has another, it is
// the other that counts.
func TestFewAreAsked(t *testing.T) {
	asked := 0
	all := agents(asker(t), 1000)
	for i := range all {
		all[i].When = counted{all[i].When, &asked}
		all[i].Needs = append([]Equality{{Path{Of: ResourceAttribute, Key: "env"}, []string{"prod"}}}, all[i].Needs...)
	}
	r := newRig(t, func(s *Settings, _ *sink) { s.Expectations = all })
	c := newChoice(all)
	for _, tc := range []struct {
		agent       string
		want, asked int
	}{{"agent-0", 0, 1}, {"agent-700", 700, 1}, {"agent-999", 999, 1}, {"somebody", -1, 0}} {
		asked = 0
		x := r.choose(t.Context(), &c, anchorOf(tc.agent))
		require.Equal(t, tc.want >= 0, x != nil)
		if x != nil {
			require.Same(t, &all[tc.want], x)
		}
		require.Equal(t, tc.asked, asked, tc.agent)
	}
	require.NoError(t, r.telemetry.Shutdown(context.Background()))
}

// Candidates come in the order of the configuration, from however many lists.
func TestCandidatesComeInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		lists, want := make([][]int, n), make([]int, 0, 100)
		for i := 0; n > 0 && i < 100; i++ {
			list := random.IntN(n)
			lists[list] = append(lists[list], i)
			want = append(want, i)
		}
		got := make([]int, 0, 100)
		for i, ok := next(lists); ok; i, ok = next(lists) {
			got = append(got, i)
		}
		require.Equal(t, want, got)
	}
}

// Looking up what to ask allocates nothing, whatever is found.
func TestLookingUpAllocatesNothing(t *testing.T) {
	c := newChoice(append(agents(asker(t), 100), Expectation{}))
	for agent, want := range map[string]int{"agent-50": 50, "somebody": 100} {
		anchor, first := anchorOf(agent), 0
		require.Zero(t, testing.AllocsPerRun(100, func() {
			var few [8][]int
			lists := c.candidates(few[:0], anchor)
			first, _ = next(lists)
		}))
		require.Equal(t, want, first)
	}
}

// agents are expectations for an agent each.
func agents(ask func(string) Condition, n int) []Expectation {
	all := make([]Expectation, n)
	for i := range all {
		agent := "agent-" + strconv.Itoa(i)
		all[i] = Expectation{Name: agent, When: ask(fmt.Sprintf(`attributes["gen_ai.agent.name"] == %q`, agent)),
			Needs: []Equality{{Path{Of: SpanAttribute, Key: "gen_ai.agent.name"}, []string{agent}}}}
	}
	return all
}

// anchorOf is a span of an agent with as many attributes as such spans have.
func anchorOf(agent string) *placed {
	a := (&dice{}).anchor()
	for i := range 10 {
		a.span.Attributes().PutInt("gen_ai.attribute."+strconv.Itoa(i), int64(i))
	}
	a.span.Attributes().PutStr("gen_ai.agent.name", agent)
	return a
}

// BenchmarkChoice asks what finding the expectation of a run costs, each run of the next agent, one expectation an
// agent. asked=all asks in order until a condition holds, asked=few is what the processor does.
func BenchmarkChoice(b *testing.B) {
	ask := asker(b)
	for _, n := range []int{1, 2, 4, 8, 10, 100, 1000} {
		all := agents(ask, n)
		anchors := make([]*placed, n)
		for i := range anchors {
			anchors[i] = anchorOf(all[i].Name)
		}
		r := newRig(b, func(s *Settings, _ *sink) { s.Expectations = all })
		c := newChoice(all)
		for _, way := range []struct {
			name   string
			choose func(*placed) *Expectation
		}{
			{"all", func(a *placed) *Expectation { x, _ := inOrder(b.Context(), all, a); return x }},
			{"few", func(a *placed) *Expectation { return r.choose(b.Context(), &c, a) }},
		} {
			b.Run(fmt.Sprintf("expectations=%d/asked=%s", n, way.name), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					if way.choose(anchors[i]) != &all[i] {
						b.Fatal("the expectation of another agent")
					}
					i = (i + 1) % n
				}
			})
		}
		require.NoError(b, r.telemetry.Shutdown(context.Background()))
	}
}
