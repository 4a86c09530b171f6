package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// A play is an attack on a verdict: the victim's run with hostile spans beside it, or with hostile content in its spans.
// Time stands still in it.
type play struct {
	name, does string
	section    string
	// honest are the requests of the victim without the attack, attacked those with it.
	honest, attacked []batch
	// watched is the agent's span of the victim.
	watched spanID
	// law says what is wrong. It gets the honest verdict, and one verdict for each order of the requests under attack. nil is
	// [noBetter].
	law func(honest seen, attacked []seen) []string
}

// A seen has the verdict and the attributes of the watched span after one playing, and the log.
type seen struct {
	verdict
	attributes map[string]any // of the watched span, those that we write
	log        string
	missing    bool // the watched span did not come out
}

// A verdict is what a span of an agent says.
type verdict struct {
	judged, passed, complete bool
	score                    float64
	called                   string
}

// String says it in words.
func (v verdict) String() string {
	if !v.judged {
		return "no verdict"
	}
	return fmt.Sprintf("score %.3g, passed %t, complete %t, called [%s]", v.score, v.passed, v.complete, v.called)
}

// An outcome is the result of a play or a raid.
type outcome struct {
	name, does string
	shown      string
	broken     []string
}

func (p play) run() (outcome, error) {
	o := outcome{name: p.name, does: p.does}
	honest, err := p.play(p.honest)
	if err != nil {
		return o, err
	}
	var attacked []seen
	for order := range permutations(len(p.attacked)) {
		requests := make([]batch, len(order))
		for i, k := range order {
			requests[i] = p.attacked[k]
		}
		s, err := p.play(requests)
		if err != nil {
			return o, err
		}
		attacked = append(attacked, s)
	}
	law := p.law
	if law == nil {
		law = noBetter
	}
	o.broken = law(honest, attacked)
	o.shown = fmt.Sprintf("%s; attacked: %s", honest.verdict, attacked[0].verdict)
	return o, nil
}

// play sends requests through a processor of its own, and looks at the watched span.
func (p play) play(requests []batch) (s seen, err error) {
	s = seen{missing: true, attributes: map[string]any{}}
	next, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		p.look(td, &s)
		return nil
	})
	if err != nil {
		return s, err
	}
	core, logs := observer.New(zapcore.DebugLevel)
	target, err := frozenProcessor(p.section, next, zap.New(core))
	if err != nil {
		return s, err
	}
	ctx := context.Background()
	for _, r := range requests {
		td := ptrace.NewTraces()
		r.td.CopyTo(td) // what is consumed is changed
		if err := target.ConsumeTraces(ctx, td); err != nil {
			return s, err
		}
	}
	target.Advance(ctx, time.Hour)
	target.Advance(ctx, time.Hour)
	err = target.Shutdown(ctx)
	for _, entry := range logs.All() {
		s.log += fmt.Sprintln(entry.Message, entry.ContextMap())
	}
	return s, err
}

// frozenProcessor is a processor whose clock stands.
func frozenProcessor(section string, next consumer.Traces, logger *zap.Logger) (*processor.Processor, error) {
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(section))
	if err != nil {
		return nil, err
	}
	conf, err := retrieved.AsConf()
	if err != nil {
		return nil, err
	}
	factory := toolcorrectness.NewFactory()
	cfg := factory.CreateDefaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	set := processortest.NewNopSettings(component.MustNewType(factory.Type().String()))
	set.Logger = logger
	made, err := factory.CreateTraces(context.Background(), set, cfg, next)
	if err != nil {
		return nil, err
	}
	p, ok := made.(*processor.Processor)
	if !ok {
		return nil, errors.New("the factory makes another processor")
	}
	p.DryRun(func(evaluate.Report) {})
	return p, nil
}

// look reads the watched span of a release. A copy of it that another sender sent comes from another service.
func (p play) look(td ptrace.Traces, s *seen) {
	for _, rs := range td.ResourceSpans().All() {
		if service, _ := rs.Resource().Attributes().Get("service.name"); service.AsString() != "victim" {
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.SpanID() == p.watched {
					s.read(span.Attributes())
				}
			}
		}
	}
}

func (s *seen) read(attributes pcommon.Map) {
	s.missing = false
	for key, value := range attributes.All() {
		if strings.HasPrefix(key, "tool_correctness.") {
			s.attributes[key] = value.AsString()
		}
	}
	_, s.judged = attributes.Get("tool_correctness.status")
	if v, ok := attributes.Get("tool_correctness.score"); ok {
		s.score = v.Double()
	}
	if v, ok := attributes.Get("tool_correctness.passed"); ok {
		s.passed = v.Bool()
	}
	if v, ok := attributes.Get("tool_correctness.complete"); ok {
		s.complete = v.Bool()
	}
	s.called = strings.Join(called(attributes), ", ")
}

// noBetter is the law of most plays: an attack never improves a verdict unless that says that it is not complete. The order
// of requests decides nothing.
func noBetter(honest seen, attacked []seen) (broken []string) {
	for _, a := range attacked {
		switch {
		case a.missing:
			broken = append(broken, "the agent's span did not come out")
		case honest.judged && !a.judged:
			broken = append(broken, "the agent's span has no verdict any more")
		case a.complete && (a.score > honest.score || a.passed && !honest.passed):
			broken = append(broken, fmt.Sprintf("%s, and honestly %s", a.verdict, honest.verdict))
		}
		if a.verdict != attacked[0].verdict {
			broken = append(broken, fmt.Sprintf("%s, and in another order %s", attacked[0].verdict, a.verdict))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// untouched is the law of partitions: spans of another one change nothing, completeness included.
func untouched(honest seen, attacked []seen) (broken []string) {
	for _, a := range attacked {
		if a.missing || a.verdict != honest.verdict {
			broken = append(broken, fmt.Sprintf("%s, and honestly %s", a.verdict, honest.verdict))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// bare is the law for spans that are not judged: nothing on them looks like a verdict.
func bare(_ seen, attacked []seen) (broken []string) {
	for _, a := range attacked {
		for key, value := range a.attributes {
			broken = append(broken, fmt.Sprintf("%s is %v, and the processor did not judge the span", key, value))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// secret is the law of private content: neither a verdict nor the log has it.
func secret(canary string) func(seen, []seen) []string {
	return func(_ seen, attacked []seen) (broken []string) {
		for _, a := range attacked {
			for key, value := range a.attributes {
				if strings.Contains(fmt.Sprint(value), canary) {
					broken = append(broken, key+" quotes what is private")
				}
			}
			if strings.Contains(a.log, canary) {
				broken = append(broken, "the log quotes what is private")
			}
		}
		slices.Sort(broken)
		return slices.Compact(broken)
	}
}

// harmless is the law of names: what steers a terminal or turns text around is not written as it is.
func harmless(_ seen, attacked []seen) (broken []string) {
	for _, a := range attacked {
		reason := fmt.Sprint(a.attributes["tool_correctness.reason"])
		if strings.ContainsAny(reason, "\x1b\u202e\u2066\x00\n") {
			broken = append(broken, fmt.Sprintf("the reason has them as they are: %q", reason))
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// permutations yields all orders of n requests.
func permutations(n int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		var rest func(int) bool
		rest = func(k int) bool {
			if k == n {
				return yield(order)
			}
			for i := k; i < n; i++ {
				order[k], order[i] = order[i], order[k]
				if !rest(k + 1) {
					return false
				}
				order[k], order[i] = order[i], order[k]
			}
			return true
		}
		rest(0)
	}
}
