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

// The messages of a crew's span say in which order an agent requested its calls, whatever else is known of them.
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
				for seed := range uint64(4) {
					got := scoreOfCrew(t, order, seed, tc.spans)
					require.InDelta(t, want, got, 1e-9, "%s, arrival %d: %s", order, seed, tc.reason)
				}
			}
		})
	}
}

// scoreOfCrew is the score of the agent a. All spans are sent twice, one by one, in an order of their own.
func scoreOfCrew(t *testing.T, order scoring.Order, seed uint64, spans []span) (score any) {
	withFakeClock(t, expectOrdered(order, scoring.ConcurrentAnyOrder, "fetch", "search", "book")(t), func(t *testing.T, r *rig) {
		all := slices.Concat(spans, spans)
		rand.New(rand.NewPCG(seed, 5)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, s := range all {
			require.NoError(t, r.send(s))
		}
		r.after(time.Minute, len(all))
		score = r.verdict("a")["tool_correctness.score"]
	})
	return score
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
