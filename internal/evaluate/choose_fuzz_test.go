package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
)

// FuzzChoice makes a configuration and spans from bytes. For every metric, choosing finds the same expectation and the same
// failures as evaluating the conditions in order. It evaluates no condition twice and none without need.
func FuzzChoice(f *testing.F) {
	step := 1
	if testing.Short() {
		step = 8
	}
	random := rand.New(rand.NewPCG(1, 2))
	for size := 0; size < 200; size += step {
		data := make([]byte, 4*size)
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		f.Add(data)
	}
	ask := asker(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := dice(data)
		metrics := metricsNamed("a", "b", "c", "d", "e")[:1+d.roll(5)]
		all, often := make([]Expectation, d.roll(60)), make([]int, 60)
		watched := make([]Expectation, len(all))
		for i := range all {
			all[i] = d.expectation(strconv.Itoa(i), ask)
			all[i].Metrics = d.some(metrics)
			if watched[i] = all[i]; all[i].When != nil {
				watched[i].When = counted{all[i].When, &often[i]}
			}
		}
		e := evaluatorOf(metrics, watched)
		failures, failed := 0, make([]int, len(all))
		var v Evaluation
		for range 5 {
			anchor := d.anchor()
			if d.roll(20) == 19 {
				anchor = nil
			}
			clear(often)
			want := inOrder(t.Context(), metrics, all, anchor)
			require.Equal(t, want.met, e.meet(t.Context(), &v, anchor), "the expectations %v", all)
			for i := range all {
				require.LessOrEqual(t, often[i], min(want.asked[i], 1), "the condition of %d was asked", i)
				if want.failed[i] {
					failed[i]++
					failures++
				}
			}
			require.EqualValues(t, failures, v.Failures)
		}
		for i := range all {
			require.EqualValues(t, failed[i], e.rules.failures["when "+all[i].Name], "how often the condition of %d failed", i)
		}
	})
}

// evaluatorOf judges runs with metrics by expectations.
func evaluatorOf(metrics []Metric, all []Expectation) *Evaluator {
	e := New(Settings{Metrics: metrics})
	e.Use(NewRules(metrics, ExpectationSet{Expectations: all}))
	return e
}

// meet is the name of the expectation of each metric that meets one.
func (e *Evaluator) meet(ctx context.Context, v *Evaluation, anchor *conditions.Place) map[string]string {
	e.choose(ctx, v, anchor)
	met := map[string]string{}
	for i := range e.set.Metrics {
		if m := v.met[i]; m != nil && m != unmet {
			met[e.set.Metrics[i].Name] = m.Name
		}
	}
	return met
}

// asking is the result of evaluating conditions in order: the expectation of each metric. It also has, by expectation, how
// often its condition was evaluated and whether it failed.
type asking struct {
	met    map[string]string
	asked  []int
	failed []bool
}

// inOrder evaluates, for one metric after the other, the conditions of its expectations until one holds.
func inOrder(ctx context.Context, metrics []Metric, all []Expectation, anchor *conditions.Place) asking {
	a := asking{met: map[string]string{}, asked: make([]int, len(all)), failed: make([]bool, len(all))}
	for _, m := range metrics {
		for i := range all {
			if !slices.ContainsFunc(all[i].Metrics, func(x Metric) bool { return x.Name == m.Name }) {
				continue
			}
			if all[i].When != nil && anchor == nil {
				break
			}
			if all[i].When == nil || a.holds(ctx, i, all[i].When, anchor) {
				a.met[m.Name] = all[i].Name
				break
			}
		}
	}
	return a
}

func (a *asking) holds(ctx context.Context, i int, when Condition, anchor *conditions.Place) bool {
	a.asked[i]++
	tctx := anchor.Open()
	defer tctx.Close()
	holds, err := when.Eval(ctx, tctx)
	a.failed[i] = a.failed[i] || err != nil
	return err == nil && holds
}

// metricsNamed are metrics that are never asked for a verdict.
func metricsNamed(names ...string) []Metric {
	var metrics []Metric
	for _, name := range names {
		metrics = append(metrics, Metric{Name: name})
	}
	return metrics
}

// some are mostly all of the metrics, else at least one of them.
func (d *dice) some(metrics []Metric) []Metric {
	if d.roll(2) == 0 {
		return metrics
	}
	var chosen []Metric
	which := d.roll(1 << len(metrics))
	for i := range metrics {
		if which&(1<<i) != 0 {
			chosen = append(chosen, metrics[i])
		}
	}
	if chosen == nil {
		return metrics
	}
	return chosen
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
	values    = []string{"x", "", "7", "true", "y"}
	// others are conditions that are no equality of a path and a text. Some fail on some spans.
	others = []string{`true`, `attributes["a"] != nil`, `Int(ParseJSON(attributes["b"])["x"]) == 1`, `attributes["a"]["b"] == "x"`,
		`not (name == "x")`, `IsMatch(name, "x")`, `attributes["a"] == 7`, `attributes["a"] == resource.attributes["a"]`, `false`}
)

// expectation has a condition, or rarely none.
func (d *dice) expectation(name string, ask func(string) Condition) Expectation {
	path, other := pathTexts[d.roll(len(pathTexts))], others[d.roll(len(others))]
	one := fmt.Sprintf("%s == %q", path, values[d.roll(len(values))])
	two := fmt.Sprintf("%q == %s", values[d.roll(len(values))], pathTexts[d.roll(len(pathTexts))])
	whens := []string{other, one, one, one + " and " + two, one + " and " + other, other + " and " + one, one + " or " + two, one + " or " + other, ""}
	x := Expectation{Name: name, Text: whens[d.roll(len(whens))]}
	if x.Text == "" && d.roll(8) != 0 {
		x.Text = one
	}
	if x.Text != "" {
		x.When = ask(x.Text)
	}
	return x
}

// anchor is a span with values of all types.
func (d *dice) anchor() *conditions.Place {
	td := ptrace.NewTraces()
	a := &conditions.Place{Resource: td.ResourceSpans().AppendEmpty()}
	a.Scope = a.Resource.ScopeSpans().AppendEmpty()
	a.Span = a.Scope.Spans().AppendEmpty()
	a.Span.SetName(values[d.roll(len(values))])
	a.Scope.Scope().SetName(values[d.roll(len(values))])
	d.attribute(a.Span.Attributes(), "a", values[d.roll(len(values))])
	d.attribute(a.Span.Attributes(), "b", values[d.roll(len(values))])
	d.attribute(a.Resource.Resource().Attributes(), "a", values[d.roll(len(values))])
	d.attribute(a.Scope.Scope().Attributes(), "a", values[d.roll(len(values))])
	return a
}

// attribute puts a text under a key, or a value of another type, or none.
func (d *dice) attribute(m pcommon.Map, key, text string) {
	all := []any{nil, 7, 7.0, true, []byte(text), []any{text}, map[string]any{"b": text}}
	switch i := d.roll(2 * (len(all) + 1)); {
	case i > len(all):
		m.PutStr(key, text)
	case i > 0:
		_ = m.PutEmpty(key).FromRaw(all[i-1]) // it takes all of these
	}
}
