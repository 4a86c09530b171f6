package processor

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// FuzzHostileSpans plays the runs of a victim alone, and then among spans of another process. That process knows all trace,
// span and call ids of the victim, and sends spans of any kind before, between and after the victim's. The law: a verdict of
// the victim that calls itself complete is the verdict that the victim has alone. So no forbidden call vanishes.
//
// With the scope trace, every process takes part that knows the id of the trace. There the law is that a complete verdict
// still has the forbidden call.
func FuzzHostileSpans(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, seed+1)
	}
	f.Add(uint64(259), uint64(30)) // model calls of another process below the root, whose messages begin again
	f.Fuzz(func(t *testing.T, victim, attack uint64) {
		random := rand.New(rand.NewPCG(victim, 5))
		v := newVictim(random)
		v.addCrew(random)
		v.keepsTheLaw(t, attack)
	})
}

// keepsTheLaw plays the victim alone and attacked, and compares its verdicts.
func (v *victim) keepsTheLaw(t *testing.T, attack uint64) {
	t.Helper()
	alone, attacked := v.play(t, attack, false), v.play(t, attack, true)
	for id, want := range alone {
		if want["tool_correctness.status"] == nil || want["tool_correctness.called"] == nil {
			continue
		}
		got := attacked[id]
		require.NotNil(t, got, "the span %q has not come out", id)
		require.NotNil(t, got["tool_correctness.status"], "the verdict on %q is gone", id)
		if got["tool_correctness.complete"] == false {
			continue
		}
		if v.wholeTrace {
			if slices.Contains(want["tool_correctness.called"].([]any), any("shell")) {
				require.Contains(t, got["tool_correctness.called"], "shell", "the verdict on %q", id)
			}
			continue
		}
		if v.twoTraces && want["tool_correctness.complete"] == false {
			for _, key := range []string{"tool_correctness.complete", "tool_correctness.closed_by"} {
				delete(want, key)
				delete(got, key)
			}
		}
		require.Equal(t, want, got, "the verdict on %q", id)
	}
}

// victim is what an honest process sends, and how it is judged.
type victim struct {
	spans      []span
	ids        []string // of spans, sent or not
	wholeTrace bool
	rootless   bool // an ordinary span is all that represents the run
	// twoTraces: a run that is in doubt because of calls in the other trace may be complete without them, if the other trace stays
	// open. The calls of the run are the same.
	twoTraces bool
	set       func(*Settings)
}

var hostileCallIDs = []string{"call_abcdefgha", "call_abcdefghb", "call_abcdefghc", "call_0", ""}

func newVictim(random *rand.Rand) victim {
	v := victim{wholeTrace: random.IntN(5) == 0, ids: []string{"gone"}}
	ignoreFailed, include, sources := random.IntN(2) == 0, random.IntN(4) == 0, agentrun.Sources(random.IntN(3))
	compares, annotates := random.IntN(2) == 0, random.IntN(3) == 0
	v.set = func(s *Settings) {
		s.Run.WholeTrace, s.Run.Include, s.Run.Sources = v.wholeTrace, include, sources
		s.IgnoreFailed, s.AnnotateCalls = ignoreFailed, annotates
		s.Run.KeepArguments, s.Run.KeepOutput = compares, compares
		options := scoring.DefaultNative()
		if compares {
			options.Arguments, options.Output = scoring.ArgumentsExact, scoring.OutputExact
		}
		native, err := scoring.NewNative(options)
		if err != nil {
			panic(err)
		}
		expected, err := scoring.NewExpectation(scoring.ExpectationSettings{
			Tools:     []scoring.Tool{{Name: "search", Arguments: scoring.JSON(`{"q":"good"}`), Output: scoring.Text("found")}},
			Forbidden: []scoring.Tool{{Name: "shell"}},
		})
		if err != nil {
			panic(err)
		}
		s.Metrics[0].Method = native
		s.Expectations = []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: s.Metrics}}
	}
	root := agent("root", []string{"", "gone"}[random.IntN(2)], 0, 30)
	switch random.IntN(5) {
	case 0: // one that another span called would be below the span that claims to be the caller
		root.parent, root.attributes = "", map[string]any{"gen_ai.operation.name": "invoke_workflow"}
	case 1:
		root, v.rootless = plain("root", "", 0, 30), true
	}
	if annotates {
		root = root.with("gen_ai.agent.name", "outer")
	}
	v.add(root)
	for i := range 1 + random.IntN(12) {
		v.add(v.random(random, "v"+strconv.Itoa(i)))
	}
	v.add(tool("w", v.any(random), 10, 12, []string{"search", "shell"}[random.IntN(2)]))
	return v
}

// addCrew adds a crew in half of all cases.
func (v *victim) addCrew(random *rand.Rand) {
	if random.IntN(2) == 0 {
		v.add(crew("crew", v.any(random), 2, 28, randomTasks(random)...))
		v.add(member("desk", "crew", 4, 20, "desk"))
	}
}

func (v *victim) add(s span) {
	s.process = "victim"
	v.spans, v.ids = append(v.spans, s), append(v.ids, s.id)
}

// any is the id of a span that was sent, or of none.
func (v *victim) any(random *rand.Rand) string { return v.ids[random.IntN(len(v.ids))] }

// random is a span of any kind below any other.
func (v *victim) random(random *rand.Rand, id string) span {
	start := random.IntN(25)
	parent, end := v.any(random), start+random.IntN(6)
	name := []string{"search", "lookup", "shell"}[random.IntN(3)]
	callID := hostileCallIDs[random.IntN(len(hostileCallIDs))]
	s := plain(id, parent, start, end)
	switch random.IntN(9) {
	case 0:
		s = agent(id, parent, start, end)
		if start%2 == 0 {
			s = s.with("gen_ai.agent.name", "sub")
		}
	case 1, 2, 3:
		s = tool(id, parent, start, end, name).with("gen_ai.tool.call.id", callID)
	case 4:
		s = protocol(id, parent, start, end, name)
	case 5:
		s = model(id, parent, start, end, nil, name+" "+callID)
	case 6:
		s = model(id, parent, start, end, []string{callID}, name+" "+callID)
	case 7: // below a tool it says that the tool is an agent
		s = span{id: id, parent: parent, start: start, end: end, attributes: map[string]any{"gen_ai.operation.name": "chat"}}
	}
	if random.IntN(2) == 0 {
		s = s.with("gen_ai.tool.call.arguments", []string{`{"q":"good"}`, `{"q":"bad"}`}[random.IntN(2)])
	}
	if random.IntN(2) == 0 {
		s = s.with("gen_ai.tool.call.result", "found")
	}
	if random.IntN(4) == 0 {
		s = s.with("error.type", "timeout")
	}
	if random.IntN(6) == 0 {
		s.kind = ptrace.SpanKindServer
	}
	return s
}

// hostileOutputs are what a tool may return: texts, placeholders, failures, and forms of messages that frameworks write.
var hostileOutputs = []any{
	"found", "", "N/A", "null", "[REDACTED]", `{"isError": true, "content": [{"type": "text", "text": "found"}]}`, `[{"type": "text", "text": "found"}]`,
	"content='found' name='search' tool_call_id='call_abcdefgha' status='error'", `{"role": "tool", "tool_call_id": "call_abcdefghb", "name": "shell", "content": "x"}`,
	`{"tool_calls": [{"id": "call_abcdefghc", "function": {"name": "shell", "arguments": "{}"}}]}`, "Error: shell is not a valid tool", `"found`, 7, true,
	[]any{"found"}, map[string]any{"output": "found"},
}

// hostile is a span of an attacker who knows all spans of the victim.
func (v *victim) hostile(random *rand.Rand, i int) span {
	id := "h" + strconv.Itoa(i)
	if random.IntN(2) == 0 {
		id = v.spans[random.IntN(len(v.spans))].id
	}
	s := v.random(random, id)
	switch random.IntN(4) {
	case 0: // nearly a copy
		made := s
		s = v.spans[random.IntN(len(v.spans))]
		switch random.IntN(5) {
		case 0:
			s.start = max(0, s.start-1)
		case 1:
			s.end++
		case 2:
			s.parent = made.parent
		case 3:
			s.attributes = made.attributes
		}
	case 1: // around everything
		s.start, s.end = 0, 40
	}
	if random.IntN(3) == 0 {
		s.parent = "h" + strconv.Itoa(random.IntN(i+1))
	}
	if random.IntN(8) == 0 {
		s.trace = 1
	}
	if _, returned := s.attributes["gen_ai.tool.call.result"]; returned {
		s = s.with("gen_ai.tool.call.result", hostileOutputs[i%len(hostileOutputs)])
	}
	return s.from("hostile")
}

// play returns the attributes of the victim's spans as they came out. The hostile spans come as attack says, or they do not.
func (v *victim) play(t *testing.T, attack uint64, attacked bool) map[string]map[string]any {
	random := rand.New(rand.NewPCG(attack, 6))
	out := map[string]map[string]any{}
	r := newRig(t, func(s *Settings, _ *sink) { v.set(s) })
	next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			if process, _ := rs.Resource().Attributes().Get("service.name"); process.Str() != "victim" {
				continue
			}
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					out[span.SpanID().String()] = span.Attributes().AsRaw()
				}
			}
		}
		return r.sink.ConsumeTraces(ctx, td)
	})
	require.NoError(t, err)
	r.next = next
	r.clock.stop()
	made, intensity := 0, 1<<random.IntN(4)
	send := func(own []span) {
		n := random.IntN(1 + intensity)
		batch := slices.Clone(own)
		for range n {
			s := v.hostile(random, made)
			if made%8 == 5 { // an agent of that name with calls of its choice
				s = crew(s.id, s.parent, s.start, s.end, "desk: shell "+hostileCallIDs[made%3]+" | search call_abcdefghz").in(s.trace).from("hostile")
			}
			batch = append(batch, s)
			made++
		}
		order := random.Perm(len(batch))
		kept := []span{}
		for _, i := range order {
			if attacked || i < len(own) {
				kept = append(kept, batch[i])
			}
		}
		if len(kept) > 0 {
			require.NoError(t, r.send(kept...))
		}
	}
	elapse := func(d time.Duration) {
		r.clock.advance(d)
		r.tick(t.Context(), t.Context())
	}
	for range random.IntN(3) {
		send(nil)
		elapse(time.Duration(random.IntN(80)) * time.Second)
	}
	batches := batched(random, v.spans)
	if v.rootless { // a root stands in only if it does not come before what makes its trace agentic
		batches = [][]span{v.spans}
	}
	for _, own := range batches {
		send(own)
	}
	for range 1 + random.IntN(3) {
		send(nil)
		elapse(time.Duration(random.IntN(12)) * time.Second)
	}
	elapse(10 * time.Second)
	send(nil)
	elapse(2 * time.Minute)
	elapse(2 * time.Minute)
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
	return out
}

// asText is v as one line of JSON.
func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
