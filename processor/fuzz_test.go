package processor

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// FuzzConservation plays random spans in random batches, while time goes by, limits are met and the next consumer
// refuses now and then. Every span that was accepted comes out exactly once, or is counted as failed.
func FuzzConservation(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		r := newRig(t, func(s *Settings, sink *sink) {
			s.Run.WholeTrace = seed%3 == 0
			s.Run.Conversations = seed%3 == 1
			s.Run.Include = seed%5 == 1
			s.AnnotateCalls = seed&4 != 0
			s.Run.Sources = runs.Sources(random.IntN(3))
			s.Limits = Limits{OpenRuns: 1 + random.IntN(5), Bytes: int64(1 + random.IntN(20_000))}
			sink.mutates = seed%2 == 0
		})
		r.DryRun(func(evaluate.Report) {})
		refusal := errors.New("not now")
		for _, batch := range batched(random, append(randomSpans(random, 60), randomCrew(random, byte(random.IntN(3)))...)) {
			if random.IntN(4) == 0 {
				r.sink.refuse(refusal)
			}
			if err := r.send(batch...); err != nil && !errors.Is(err, refusal) && !errors.Is(err, errBacklog) {
				t.Fatal(err)
			}
			r.sink.refuse(nil)
			if random.IntN(2) == 0 {
				r.Advance(t.Context(), time.Duration(random.IntN(70))*time.Second)
			}
		}
		require.NoError(t, r.Shutdown(t.Context()))
		r.conserved()
	})
}

// FuzzArrival plays the same spans in two orders and two ways to cut them into batches, some of them twice. The released
// spans are the same, verdicts included.
func FuzzArrival(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, spans, order uint64) {
		// A trace without any agent may have a root as stand-in anchor, which must arrive after its calls: see the package
		// comment of runs. So every trace has an agent.
		random := rand.New(rand.NewPCG(spans, 0))
		all := randomSpans(random, 40)
		for trace := range byte(3) {
			all = append(all, agent("agent"+strconv.Itoa(int(trace)), "", 1, 30).in(trace))
			if trace > 0 {
				all = append(all, randomCrew(random, trace)...)
			}
		}
		play := func(random *rand.Rand) map[pcommon.SpanID]map[string]any {
			shuffled := append([]span{}, all...)
			random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
			r := newRig(t, func(s *Settings, k *sink) {
				s.Run.Conversations = spans%3 == 1
				s.Run.Include = spans%3 == 2
				s.AnnotateCalls = spans&4 != 0
				s.Run.Sources = runs.Sources(spans % 4 % 3)
				if spans&8 != 0 {
					expectOrdered(t, []scoring.Order{scoring.InOrder, scoring.ExactOrder}[spans>>4&1], scoring.Concurrent(spans>>5&1), "search", "lookup", "search")(s, k)
				}
			})
			r.DryRun(func(evaluate.Report) {})
			for _, batch := range batched(random, shuffled) {
				require.NoError(t, r.send(batch...))
			}
			r.Advance(t.Context(), 10*time.Second)
			require.NoError(t, r.Shutdown(t.Context()))
			r.conserved()
			out := map[pcommon.SpanID]map[string]any{}
			for id, span := range r.sink.spans {
				out[id] = span.Attributes().AsRaw()
			}
			for _, crew := range []string{"crew1", "crew2"} { // two copies of it may say different things themselves
				delete(out, spanID(crew))
			}
			return out
		}
		a := play(rand.New(rand.NewPCG(order, 1)))
		b := play(rand.New(rand.NewPCG(order, 2)))
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("what came out depends on arrival:\n%v\n%v", a, b)
		}
	})
}

// randomSpans are spans of three traces with parents that may be anything: missing, themselves, in a cycle.
func randomSpans(random *rand.Rand, most int) []span {
	spans := make([]span, 1+random.IntN(most))
	kinds := []ptrace.SpanKind{ptrace.SpanKindInternal, ptrace.SpanKindServer}
	for i := range spans {
		id, parent := "s"+strconv.Itoa(i), "s"+strconv.Itoa(random.IntN(len(spans)+3))
		start := random.IntN(20)
		end := start + random.IntN(10)
		s := plain(id, parent, start, end)
		name := []string{"search", "lookup"}[random.IntN(2)]
		callID := "call_abcdefgh" + string(rune('a'+random.IntN(4)))
		switch random.IntN(8) {
		case 0:
			s = agent(id, parent, start, end)
		case 1:
			s = tool(id, parent, start, end, name)
		case 2:
			s = tool(id, parent, start, end, name).with("gen_ai.tool.call.id", callID)
		case 3:
			s.attributes = map[string]any{"gen_ai.operation.name": "invoke_workflow"}
		case 4:
			s = model(id, parent, start, end, nil, name+" "+callID, name+" "+callID+"z")
		case 5:
			s = model(id, parent, start, end, []string{callID})
		case 6:
			s = protocol(id, parent, start, end, name)
		}
		if random.IntN(4) == 0 {
			s = s.with("session.id", string(rune('a'+random.IntN(2))))
		}
		s.kind = kinds[random.IntN(len(kinds))]
		spans[i] = s.in(byte(random.IntN(3)))
	}
	return spans
}

const crewScope = "opentelemetry.instrumentation.crewai"

// member is the span of an agent of a crew.
func member(id, parent string, start, end int, role string) span {
	return agent(id, parent, start, end).with("gen_ai.agent.name", role).by(crewScope)
}

// crew is the span of a crew. A task is "role: name id, name id | name id", with a bar between messages.
func crew(id, parent string, start, end int, tasks ...string) span {
	outputs := make([]string, len(tasks))
	for i, task := range tasks {
		role, said, _ := strings.Cut(task, ": ")
		var messages []string
		for message := range strings.SplitSeq(said, " | ") {
			var calls []string
			for call := range strings.SplitSeq(message, ", ") {
				if name, callID, ok := strings.Cut(call, " "); ok {
					calls = append(calls, fmt.Sprintf(`{'id': '%s', 'type': 'function', 'function': {'name': '%s', 'arguments': '{}'}}`, callID, name))
				}
			}
			messages = append(messages, `{'role': 'assistant', 'content': '', 'tool_calls': [`+strings.Join(calls, ", ")+`]}`)
		}
		outputs[i] = fmt.Sprintf(`TaskOutput(agent='%s', messages=[%s], tool_failures=[])`, role, strings.Join(messages, ", "))
	}
	return agent(id, parent, start, end).with("crewai.crew.tasks_output", "["+strings.Join(outputs, ", ")+"]").by(crewScope)
}

// randomTasks are the tasks of a crew. Its agents may have several tasks, and its calls may be those of models' and tools' spans.
func randomTasks(random *rand.Rand) (tasks []string) {
	for range random.IntN(4) {
		messages := []string{""}
		for range random.IntN(4) {
			call := []string{"search", "lookup"}[random.IntN(2)] + " call_abcdefgh" + string(rune('a'+random.IntN(4))) + []string{"", "z"}[random.IntN(2)]
			if last := len(messages) - 1; random.IntN(2) == 0 {
				messages[last] = strings.TrimPrefix(messages[last]+", "+call, ", ")
			} else {
				messages = append(messages, call)
			}
		}
		tasks = append(tasks, []string{"desk", "clerk", "cook"}[random.IntN(3)]+": "+strings.Join(messages, " | "))
	}
	return tasks
}

// randomCrew is a crew with two agents, of which some spans of tools and models may be lost.
func randomCrew(random *rand.Rand, trace byte) []span {
	id := func(kind string) string { return kind + strconv.Itoa(int(trace)) }
	above := []string{id("crew"), id("crew"), id("crew"), "s" + strconv.Itoa(random.IntN(40))}[random.IntN(4)] // or anything
	spans := []span{crew(id("crew"), id("agent"), 2, 29, randomTasks(random)...), member(id("desk"), above, 3, 14, "desk")}
	if random.IntN(8) == 0 {
		spans = append(spans, crew(id("crew"), id("agent"), 2, 29, randomTasks(random)...)) // it says something else
	}
	if random.IntN(2) == 0 {
		from := 10 + random.IntN(8) // agents may work at the same time
		spans = append(spans, member(id("clerk"), id("crew"), from, from+10, "clerk"))
	}
	for i := range random.IntN(4) {
		name, callID := []string{"search", "lookup"}[random.IntN(2)], "call_abcdefgh"+string(rune('a'+random.IntN(4)))
		start, parent := random.IntN(28), id([]string{"desk", "clerk"}[random.IntN(2)])
		s := tool(id("t"+strconv.Itoa(i)), parent, start, start+random.IntN(3), name).with("gen_ai.tool.call.id", callID)
		if random.IntN(2) == 0 {
			s = model(id("m"+strconv.Itoa(i)), parent, start, start+1, nil, name+" "+callID)
		}
		spans = append(spans, s)
	}
	for i := range spans {
		spans[i] = spans[i].in(trace)
	}
	return spans
}

// batched cuts spans into batches.
func batched(random *rand.Rand, spans []span) [][]span {
	var batches [][]span
	for len(spans) > 0 {
		n := 1 + random.IntN(len(spans))
		batches = append(batches, spans[:n])
		spans = spans[n:]
	}
	return batches
}

// maxWire bounds the requests of FuzzConsumeTraces: larger ones are slower, and say nothing new.
const maxWire = 1 << 16

// FuzzConsumeTraces takes any bytes that are a request on the wire. The same request arrives twice, as after a lost response,
// and all of its spans are released twice.
func FuzzConsumeTraces(f *testing.F) {
	for _, request := range wireSeeds(f) {
		f.Add(request, uint8(0))
		f.Add(request, uint8(7))
	}
	f.Fuzz(func(t *testing.T, request []byte, mode uint8) {
		if len(request) > maxWire {
			return
		}
		var unmarshaler ptrace.ProtoUnmarshaler
		first, err := unmarshaler.UnmarshalTraces(request)
		if err != nil {
			return // the receiver refuses it
		}
		again := fromWire(t, request)
		spans := first.SpanCount()

		r := newRig(t, func(s *Settings, sink *sink) {
			s.Run.Sources = runs.Sources(mode % 3)
			s.Run.Include = mode&4 != 0
			s.Run.WholeTrace = mode&24 == 8
			s.Run.Conversations = mode&24 == 16
			s.Run.KeepArguments, s.Run.KeepOutput = true, true
			s.ConversationAttributes = []string{"session.id"}
			sink.mutates = mode&32 != 0
		})
		r.DryRun(func(evaluate.Report) {})
		for _, td := range []ptrace.Traces{first, again} {
			require.NoError(t, r.consume(td))
			r.Advance(t.Context(), 8*time.Second)
		}
		require.NoError(t, r.Shutdown(t.Context()))
		require.Equal(t, 2*spans, r.sink.got(), "spans that came out")
		r.conserved()
	})
}

// wireSeeds are requests of each kind of span that the tests make, and recorded ones.
func wireSeeds(f *testing.F) [][]byte {
	requests := []ptrace.Traces{
		traces(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), plain("s", "a", 4, 5)),
		traces(model("m", "a", 1, 2, []string{"call_abcdefgh1"}, "search call_abcdefgh2"), agent("a", "", 1, 9)),
		traces(protocol("p", "c", 2, 3, "search"), tool("c", "c", 2, 3, "search").with("gen_ai.tool.call.id", "call_abcdefgh1")),
		traces(span{id: "w", end: 9, attributes: map[string]any{"gen_ai.operation.name": "invoke_workflow", "session.id": "s"}}),
	}
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "traces", "*.jsonl"))
	require.NoError(f, err)
	require.NotEmpty(f, paths)
	for _, path := range paths {
		requests = append(requests, firstRequest(f, path))
	}
	seeds := make([][]byte, len(requests))
	for i, request := range requests {
		seeds[i] = toWire(f, request)
	}
	return seeds
}

// firstRequest returns the first line of a recording.
func firstRequest(f *testing.F, path string) ptrace.Traces {
	file, err := os.Open(path)
	require.NoError(f, err)
	defer func() { require.NoError(f, file.Close()) }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	require.True(f, lines.Scan(), path)
	var unmarshaler ptrace.JSONUnmarshaler
	request, err := unmarshaler.UnmarshalTraces(lines.Bytes())
	require.NoError(f, err)
	return request
}
