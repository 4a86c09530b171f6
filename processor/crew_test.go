package processor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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

// The messages of a crew's span give the order in which an agent requested its calls, also if other spans record them.
func TestMessagesOfACrewOrderItsCalls(t *testing.T) {
	const fetch, search, book = "fetch call_of_fetch", "search call_of_search", "book call_of_book"
	desk := member("a", "crew", 2, 9, "desk")
	told := func(said string) []span { return []span{desk, crew("crew", "", 1, 10, "desk: "+said)} }
	called := func(id string, start, end int, request string) span {
		name, callID, _ := strings.Cut(request, " ")
		return tool(id, "a", start, end, name).with("gen_ai.tool.call.id", callID)
	}
	asked := func(id string, start, end int, requests ...string) span {
		return model(id, "a", start, end, nil, requests...)
	}
	for _, tc := range []struct {
		name           string
		spans          []span
		inOrder, exact float64 // with fetch, search and book expected
		reason         string
	}{
		{"as expected", told(fetch + " | " + search + " | " + book), 1, 1, "each message came after the results of the one before"},
		{"backwards", told(book + " | " + search + " | " + fetch), 1. / 3, 1. / 3, "only one call is in its place"},
		{"a pair in the wrong order", told(search + " | " + fetch + " | " + book), 2. / 3, 1. / 3, "search was over when fetch began"},
		{"one message", told(book + ", " + search + ", " + fetch), 1, 1, "the model left the order open"},
		{"a message of two, and one", told(search + ", " + fetch + " | " + book), 1, 1, "two have no order, and the third came last"},
		{"one, and a message of two", told(book + " | " + search + ", " + fetch), 2. / 3, 1. / 3, "book came first, whatever the order of the others"},
		{"all models' spans", append(told(fetch+" | "+search+" | "+book), asked("m", 2, 3, fetch), asked("n", 4, 5, search), asked("o", 6, 7, book)), 1, 1,
			"both say the same"},
		{"models' spans that contradict the messages", append(told(book+" | "+search+" | "+fetch), asked("m", 2, 3, fetch), asked("n", 4, 5, search), asked("o", 6, 7, book)),
			1, 1, "times that are known count"},
		{"the first model's span", append(told(fetch+" | "+search+" | "+book), asked("m", 4, 5, fetch)), 1, 1, "the other messages came later"},
		{"the first model's span, and the others backwards", append(told(fetch+" | "+book+" | "+search), asked("m", 4, 5, fetch)), 2. / 3, 1. / 3,
			"the messages order the other two"},
		{"the last model's span", append(told(fetch+" | "+search+" | "+book), asked("o", 4, 5, book)), 1, 1, "the other messages came earlier"},
		{"the last model's span, and the others backwards", append(told(search+" | "+fetch+" | "+book), asked("o", 4, 5, book)), 2. / 3, 1. / 3,
			"the messages order the other two"},
		{"the middle model's span", append(told(fetch+" | "+search+" | "+book), asked("n", 4, 5, search)), 1, 1, "one message came before it, and one after it"},
		{"the middle model's span, and the others backwards", append(told(book+" | "+search+" | "+fetch), asked("n", 4, 5, search)), 1. / 3, 1. / 3,
			"one message came before it, and one after it"},
		{"a part of a message by a model's span", append(told(search+", "+fetch+" | "+book), asked("m", 4, 5, search)), 1, 1, "the rest of the message has no order with it"},
		{"all tools' spans", append(told(fetch+" | "+search+" | "+book), called("c", 3, 4, fetch), called("d", 5, 6, search), called("e", 7, 8, book)), 1, 1,
			"both say the same"},
		{"tools' spans that contradict the messages", append(told(book+" | "+search+" | "+fetch), called("c", 3, 4, fetch), called("d", 5, 6, search), called("e", 7, 8, book)),
			1, 1, "times that are known count"},
		{"tools' spans of one message", append(told(search+", "+fetch+" | "+book), called("c", 5, 6, fetch), called("d", 3, 4, search), called("e", 7, 8, book)), 1, 1,
			"the model left the order open"},
		{"tools' spans in the wrong order", append(told(search+" | "+fetch+" | "+book), called("c", 5, 6, fetch), called("d", 3, 4, search), called("e", 7, 8, book)), 2. / 3, 1. / 3,
			"both say the same"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for order, want := range map[scoring.Order]float64{scoring.InOrder: tc.inOrder, scoring.ExactOrder: tc.exact} {
				for seed := range uint64(2) {
					got := scoreOfCrew(t, order, seed, tc.spans)
					require.InDelta(t, want, got, 1e-9, "%s, arrival %d: %s", order, seed, tc.reason)
				}
			}
		})
	}
}

// scoreOfCrew is the score of the agent a. All spans are sent twice, one by one, in an order of their own.
func scoreOfCrew(t *testing.T, order scoring.Order, seed uint64, spans []span) any {
	return verdictOfCrew(t, order, seed, spans)["tool_correctness.score"]
}

func verdictOfCrew(t *testing.T, order scoring.Order, seed uint64, spans []span) (verdict map[string]any) {
	withFakeClock(t, expectOrdered(order, scoring.ConcurrentAnyOrder, "fetch", "search", "book")(t), func(t *testing.T, r *rig) {
		all := slices.Concat(spans, spans)
		rand.New(rand.NewPCG(seed, 5)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, s := range all {
			require.NoError(t, r.send(s))
		}
		r.after(time.Minute, len(all))
		verdict = r.verdict("a")
	})
	return verdict
}

// What a sender makes up about crews decides nothing by its arrival. It takes no calls away, and adds none to other runs.
func TestHostileCrews(t *testing.T) {
	const good = "desk: fetch call_of_fetch | search call_of_search | book call_of_book"
	const bad = "desk: book call_of_book | search call_of_search | fetch call_of_fetch"
	desk := member("a", "crew", 2, 9, "desk").from("p")
	asked := func(id string, start, end int, requests ...string) span {
		return model(id, "a", start, end, nil, requests...).from("p")
	}
	whole := crew("crew", "", 1, 10, good).from("p")
	for _, tc := range []struct {
		name     string
		spans    []span
		score    float64
		complete bool
		reason   string
	}{
		{"one crew", []span{desk, whole}, 1, true, "the rows below add to it"},
		{"two agents of one name", []span{desk, member("b", "crew", 2, 9, "desk").from("p"), whole}, 0, false, "nothing says which of them made the calls"},
		{"two tasks of one name", []span{desk, crew("crew", "", 1, 10, good, "desk: pay call_of_pay").from("p")}, 0, false, "the run is one of them"},
		{"another agent's task without calls", []span{desk, crew("crew", "", 1, 10, good, "clerk: ").from("p")}, 1, true, "it is not the agent's"},
		{"a crew inside of the crew", []span{desk, whole, crew("inner", "crew", 3, 4, bad).from("p")}, 1, true, "the agent is not in it"},
		{"a crew around the crew", []span{desk, crew("crew", "outer", 1, 10, good).from("p"), crew("outer", "", 0, 11, bad).from("p")}, 1, true, "the nearest crew knows its agents"},
		{"another process's crew of the same id", []span{desk, whole, crew("crew", "", 1, 10, bad).from("q")}, 1. / 3, false, "whoever sent them, copies contradict each other"},
		{"only another process's crew", []span{desk, crew("crew", "", 1, 10, good).from("q")}, 1, true, "spans of a trace belong together, whoever sent them"},
		{"ids that are not unique", []span{desk, crew("crew", "", 1, 10, "desk: fetch call_1 | search call_2 | book call_3").from("p")}, 0, false,
			"models' spans may have the same requests, and may not"},
		{"some ids that are not unique", []span{desk, crew("crew", "", 1, 10, "desk: fetch call_of_fetch, pay call_1 | pay call_2 | search call_of_search | book call_of_book").from("p")}, 1, false,
			"the others keep their messages, and some calls are missing"},
		{"one id in two messages", []span{desk, crew("crew", "", 1, 10, good+" | fetch call_of_fetch").from("p")}, 1, true, "one id is one call, and the first message counts"},
		{"copies with another order", []span{desk, whole, crew("crew", "", 1, 10, bad).from("p")}, 1. / 3, false, "either may be true; what they say decides, and the run is contested"},
		{"copies with another end", []span{desk, whole, crew("crew", "", 1, 20, good).from("p")}, 1, true, "a span that is sent again may have ended later"},
		{"models' spans in another order", []span{desk, crew("crew", "", 1, 10, bad).from("p"), asked("m", 2, 3, "fetch call_of_fetch"), asked("n", 4, 5, "search call_of_search"),
			asked("o", 6, 7, "book call_of_book")}, 1, true, "times that are known count"},
		{"a model's span with one id and another name", []span{desk, whole, asked("m", 2, 3, "pay call_of_fetch")}, 1, true, "they are two calls, and the model's is one too many"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(3) {
				got := verdictOfCrew(t, scoring.InOrder, seed, tc.spans)
				require.InDelta(t, tc.score, got["tool_correctness.score"], 1e-9, "arrival %d: %s", seed, tc.reason)
				require.Equal(t, tc.complete, got["tool_correctness.complete"], "arrival %d: %s", seed, tc.reason)
			}
		})
	}
}

// A restart between the span of an agent and that of its crew keeps the calls, their order and the verdict.
func TestARestartKeepsTheOrderOfACrew(t *testing.T) {
	desk := member("a", "crew", 2, 9, "desk")
	for _, tc := range []struct {
		name, said string
		score      float64
		reason     string
	}{
		{"as expected", "fetch call_of_fetch | search call_of_search | book call_of_book", 1, "each message came after the results of the one before"},
		{"in the wrong order", "search call_of_search | fetch call_of_fetch | book call_of_book", 2. / 3, "search was over when fetch began"},
		{"one message", "search call_of_search, fetch call_of_fetch | book call_of_book", 1, "the model left the order open"},
	} {
		whole := crew("crew", "", 1, 10, "desk: "+tc.said)
		for name, spans := range map[string][2]span{"the agent first": {desk, whole}, "the crew first": {whole, desk}} {
			t.Run(tc.name+", "+name, func(t *testing.T) {
				h := &host{memoryStorage: newMemoryStorage()}
				withStorage(t, h, func(t *testing.T, begin func() *rig) {
					first := begin()
					require.NoError(t, first.send(spans[0]))
					first.kill()
					second := begin()
					second.sent += second.total("spans_resumed")
					require.NoError(t, second.send(spans[1]))
					second.after(time.Minute, 2)
					require.InDelta(t, tc.score, second.verdict("a")["tool_correctness.score"], 1e-9, tc.reason)
					require.Equal(t, true, second.verdict("a")["tool_correctness.complete"])
				}, expectOrdered(scoring.InOrder, scoring.ConcurrentAnyOrder, "fetch", "search", "book")(t))
			})
		}
	}
}

// A call that only a crew's span recorded may have been at any time between its messages. So MCP's span in another trace completes it.
func TestAProtocolCompletesACrewsCall(t *testing.T) {
	for _, tc := range []struct {
		name       string
		start, end int
		score      float64
		reason     string
	}{
		{"in the time of the run", 6, 7, 2. / 3, "the call has failed, and failed calls do not count"},
		{"before the run", 0, 1, 1, "the run had not begun"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, k *sink) {
				expectOrdered(scoring.InOrder, scoring.ConcurrentAnyOrder, "fetch", "search", "book")(t)(s, k)
				s.IgnoreFailed = true
			}, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(
					protocol("c", "", tc.start, tc.end, "search").with("error.type", "tool_error").in(2).from("p"),
					member("a", "crew", 2, 9, "desk").from("p"),
					crew("crew", "", 1, 10, "desk: fetch call_of_fetch | search call_of_search | book call_of_book").from("p")))
				r.after(time.Minute, 3)
				require.InDelta(t, tc.score, r.verdict("a")["tool_correctness.score"], 1e-9, tc.reason)
			})
		})
	}
}
