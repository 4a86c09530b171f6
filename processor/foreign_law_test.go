package processor

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A stage is a play of a victim's spans. It begins now, in seconds since 1970.
type stage struct {
	*rig
	now int
}

// victim and evil send spans of their processes.
func (s stage) victim(all ...span) { s.from("victim", all) }
func (s stage) evil(all ...span)   { s.from("evil", all) }

func (s stage) from(process string, all []span) {
	for i := range all {
		all[i].process = process
	}
	_ = s.send(all...)
}

// at is the time by now, in seconds since 1970.
func (s stage) at() int { return int(time.Now().Unix()) }

// fillLinks fills the table of links of traces without an agent.
func (s stage) fillLinks() {
	for k := range 20 {
		all := make([]span, 1_000)
		for i := range all {
			all[i] = plain(fmt.Sprintf("%d_%d", k, i), "q", s.now, s.now+1).in(9)
		}
		s.evil(all...)
	}
}

// fillClosedRuns fills the tables of closed runs, which takes fifteen seconds and the wait of the runs.
func (s stage) fillClosedRuns() {
	for k := range 30 {
		all := make([]span, 250)
		for i := range all {
			all[i] = agent(fmt.Sprintf("%d_%d", k, i), "", s.at(), s.at()+1).in(byte(2 + i))
		}
		s.from(fmt.Sprint("evil", k), all)
		time.Sleep(500 * time.Millisecond)
	}
	time.Sleep(12 * time.Second)
}

// evict reaches the limit of open runs, so that the oldest traces close.
func (s stage) evict() {
	for i := range 110 {
		s.evil(agent(fmt.Sprint("e", i), "", s.at(), s.at()).in(byte(10 + i)))
	}
}

// forgeAbove plays the call x below the span X, which is below the agent A and arrives late. The agent B inside of A is below
// another span. The other process sends a span with the ID of X before, below a parent of its choice.
func (s stage) forgeAbove(attacked bool, aboveB, forgedParent string, late ...span) {
	time.Sleep(10 * time.Second)
	s.victim(tool("x", "X", s.now+3, s.now+4, "bad"), named("inner", agent("B", aboveB, s.now+1, s.now+8)))
	if attacked {
		s.evil(plain("X", forgedParent, s.now+2, s.now+5))
	}
	time.Sleep(15 * time.Second)
	s.victim(append(late, plain("X", "A", s.now+2, s.at()))...)
	s.victim(tool("y", "A", s.at()-1, s.at(), "search"), named("outer", agent("A", "", s.now, s.at())))
}

// inLists is a value in that many lists.
func inLists(levels int) (v any) {
	for range levels {
		v = []any{v}
	}
	return v
}

func named(name string, s span) span { return s.with("gen_ai.agent.name", name) }

func workflowSpan(id, parent string, start, end int) span {
	return span{id: id, parent: parent, start: start, end: end, attributes: map[string]any{"gen_ai.operation.name": "invoke_workflow"}}
}

// forbidBad lets a run fail only because of the tool bad, and forbidRoot because of del with the path /.
func forbidBad(s *Settings) { forbid(s, scoring.Tool{Name: "bad"}) }
func forbidRoot(s *Settings) {
	forbid(s, scoring.Tool{Name: "del", Arguments: scoring.JSON(`{"path":"/"}`)})
}

func forbid(s *Settings, tools ...scoring.Tool) {
	x, err := scoring.NewExpectation(scoring.ExpectationSettings{Forbidden: tools})
	if err != nil {
		panic(err) // the expectation is ours
	}
	s.Expectations = []evaluate.Expectation{{Name: "0", Expected: x, Metrics: s.Metrics}}
}

// inConversations makes runs of one conversation one run. change may be nil.
func inConversations(change func(*Settings)) func(*Settings) {
	return func(s *Settings) {
		s.Run.Conversations, s.ConversationAttributes = true, []string{"app.chat"}
		if change != nil {
			change(s)
		}
	}
}

// runOverTwoTraces sends the run R, which two instrumentations record in a trace each, and the run B. It returns the calls of the
// second trace, where nothing is around them.
func (s stage) runOverTwoTraces() (second []span) {
	s.victim(tool("c", "R", s.now+1, s.now+2, "search").in(1).by("one").with("gen_ai.tool.call.id", callID), plain("R", "", s.now, s.now+9).in(1).by("one"))
	second = []span{
		tool("d", "lost", s.now+1, s.now+2, "search").in(2).by("two").with("gen_ai.tool.call.id", callID),
		tool("f", "lost", s.now+3, s.now+4, "bad").in(2).by("two").with("gen_ai.tool.call.id", otherCallID),
	}
	s.victim(second...)
	s.victim(agent("B", "", s.now, s.now+9).in(3))
	return second
}

// foreignActs are plays of a victim alone, and with another process that knows its IDs or fills tables. In each, the other
// process would change one of the verdicts.
var foreignActs = []struct {
	name   string
	change func(*Settings)
	runs   []string // the victim's, of which some verdict is complete if it is alone
	play   func(s stage, attacked bool)
}{
	{"a workflow before the agent", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		s.victim(tool("x", "A", s.now+1, s.now+2, "bad"))
		if attacked {
			s.evil(tool("e", "W", s.now+1, s.now+2, "thing"), workflowSpan("W", "", s.now, s.now+4))
		}
		time.Sleep(15 * time.Second)
		s.victim(tool("y", "A", s.at()-1, s.at(), "search"), agent("A", "", s.now, s.at()))
	}},
	{"an agent below a wrapper", nil, []string{"B"}, func(s stage, attacked bool) {
		s.victim(tool("x", "B", s.now+3, s.now+4, "bad"), agent("B", "A", s.now+2, s.now+8), named("payments", agent("A", "", s.now+1, s.now+9)))
		if attacked {
			s.evil(agent("c", "A", s.now+1, s.now+2))
		}
	}},
	{"a call below a wrapper", nil, []string{"B"}, func(s stage, attacked bool) {
		s.victim(tool("x", "B", s.now+3, s.now+4, "bad"), agent("B", "A", s.now+2, s.now+8), named("payments", agent("A", "", s.now+1, s.now+9)))
		if attacked {
			s.evil(tool("c", "A", s.now+1, s.now+2, "thing"))
		}
	}},
	{"a model's call below a wrapper", nil, []string{"B"}, func(s stage, attacked bool) {
		s.victim(tool("x", "B", s.now+3, s.now+4, "bad"), agent("B", "A", s.now+2, s.now+8), named("payments", agent("A", "", s.now+1, s.now+9)))
		if attacked {
			s.evil(model("c", "A", s.now+1, s.now+2, nil, "thing "+callID))
		}
	}},
	{"a link between two agents", func(s *Settings) { s.Run.Include = true }, []string{"R", "B"}, func(s stage, attacked bool) {
		if attacked {
			s.evil(plain("m", "R", s.now+2, s.now+3))
		}
		s.victim(tool("x", "B", s.now+3, s.now+4, "search"), named("b", agent("B", "m", s.now+1, s.now+8)))
		s.victim(tool("y", "R", s.now+3, s.now+4, "other"), named("r", agent("R", "", s.now, s.now+10)))
	}},
	{"a link between two workflows", forbidBad, []string{"V", "W"}, func(s stage, attacked bool) {
		if attacked {
			s.evil(plain("m", "V", s.now+2, s.now+3))
		}
		s.victim(tool("x", "W", s.now+3, s.now+4, "bad"), workflowSpan("W", "m", s.now+1, s.now+8))
		s.victim(tool("y", "V", s.now+3, s.now+4, "other"), workflowSpan("V", "", s.now, s.now+10))
	}},
	{"a root in a cycle with the run's", func(s *Settings) { s.Run.WholeTrace = true; forbidBad(s) }, []string{"R"}, func(s stage, attacked bool) {
		server := func(id, parent string) span {
			root := plain(id, parent, s.now, s.now+4)
			root.kind = ptrace.SpanKindServer
			return root
		}
		s.victim(tool("x", "R", s.now+1, s.now+2, "bad"), server("R", "p"))
		if attacked {
			s.evil(server("p", "R"))
		}
	}},
	{"a trace filled with calls, and a later run", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		if attacked {
			all := make([]span, 1_000)
			for i := range all {
				all[i] = tool(fmt.Sprint("e", i), "q", s.now, s.now+1, "thing").with("gen_ai.tool.call.arguments", strconv.Itoa(i))
			}
			s.evil(all...)
		}
		s.victim(tool("x", "A", s.now+1, s.now+2, "bad"))
		if attacked {
			s.evil(agent("q", "", s.now, s.now+3))
			s.evil(agent("q2", "", s.now+5, s.now+6))
		}
		time.Sleep(15 * time.Second)
		s.victim(tool("y", "A", s.at()-1, s.at(), "search"), agent("A", "", s.now, s.at()))
	}},
	{"a call before the agent, in a trace that a limit closes", func(s *Settings) { s.Limits.OpenRuns = 100; forbidBad(s) }, []string{"A"}, func(s stage, attacked bool) {
		s.victim(tool("x", "root", s.now+1, s.now+2, "bad"))
		time.Sleep(4 * time.Second)
		if attacked {
			s.evict()
		}
		time.Sleep(2 * time.Second)
		n := s.at()
		s.victim(tool("y", "A", n+1, n+2, "search"), agent("A", "root", n, n+3), plain("root", "", s.now, n+4))
	}},
	{"a closed run's late call, and an eviction", func(s *Settings) { s.Limits.OpenRuns = 100 }, []string{"A", "B"}, func(s stage, attacked bool) {
		time.Sleep(3 * time.Second)
		s.victim(named("one", agent("A", "root", s.now, s.now+2)))
		time.Sleep(time.Second)
		if attacked {
			s.evict()
		}
		s.victim(tool("x", "root", s.now+1, s.now+3, "search"), plain("root", "", s.now, s.now+4))
		time.Sleep(4 * time.Second)
		s.victim(named("two", agent("B", "", s.at(), s.at()+3)))
	}},
	{"a root that closed, and forgotten closed runs", func(s *Settings) { s.Run.WholeTrace = true; forbidBad(s) }, []string{"A"}, func(s stage, attacked bool) {
		s.victim(tool("x", "A", s.now+1, s.now+2, "bad"))
		if attacked {
			s.evil(agent("c", "", s.now, s.now+1))
		}
		time.Sleep(15 * time.Second)
		if attacked {
			s.fillClosedRuns()
		} else {
			time.Sleep(27 * time.Second)
		}
		s.victim(tool("y", "A", s.at()-1, s.at(), "other"), agent("A", "", s.now, s.at()))
	}},
	{"a forgotten agent inside of a root", nil, []string{"D", "R"}, func(s stage, attacked bool) {
		time.Sleep(6 * time.Second)
		s.victim(named("helper", agent("D", "", s.now+1, s.now+5)))
		time.Sleep(12 * time.Second)
		if attacked {
			s.fillClosedRuns()
		} else {
			time.Sleep(27 * time.Second)
		}
		s.victim(tool("x", "R", s.now+42, s.now+43, "search"), plain("R", "", s.now, s.now+45))
	}},
	{"an agent in a trace that pauses", forbidBad, []string{"A", "Z"}, func(s stage, attacked bool) {
		s.victim(tool("x", "A", s.now+1, s.now+2, "bad"), agent("Z", "", s.now, s.now+1).in(2))
		if attacked {
			s.evil(agent("q", "", s.now, s.now+3))
		}
		time.Sleep(90 * time.Second)
		s.victim(tool("y", "A", s.at()-1, s.at(), "search"), agent("A", "", s.now, s.at()))
	}},
	{"more closed runs than a trace remembers", func(s *Settings) { s.Limits.Bytes = 64 << 20 }, []string{"A", "B"}, func(s stage, attacked bool) {
		time.Sleep(9 * time.Second)
		s.victim(named("inner", agent("B", "A", s.now+1, s.now+9)))
		keep := func(n int) { // the trace stays open
			if attacked {
				all := make([]span, n)
				for i := range all {
					all[i] = agent(fmt.Sprint(s.at()%1_000, "_", i), "", s.at(), s.at())
				}
				s.evil(all...)
			}
		}
		keep(1)
		for _, pause := range []struct{ seconds, runs int }{{5, 1}, {7, 1_100}, {5, 1}, {8, 1}} {
			time.Sleep(time.Duration(pause.seconds) * time.Second)
			keep(pause.runs)
		}
		time.Sleep(4 * time.Second)
		s.victim(tool("x", "B", s.now+3, s.now+4, "search"))
		keep(1)
		time.Sleep(5 * time.Second)
		s.victim(tool("y", "A", s.at()-1, s.at(), "other"), named("outer", agent("A", "", s.now, s.at())))
	}},
	{"a lost link to a model's response with tools", nil, []string{"W"}, func(s stage, attacked bool) {
		time.Sleep(9 * time.Second)
		s.victim(plain("h", "W", s.now+1, s.now+8))
		if attacked {
			s.fillLinks()
		}
		time.Sleep(3 * time.Second)
		s.victim(span{id: "m", parent: "h", start: s.now + 2, end: s.now + 3, attributes: map[string]any{
			"gen_ai.operation.name":   "chat",
			"gen_ai.input.messages":   `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`,
			"gen_ai.output.messages":  `[{"role":"assistant","parts":[{"type":"text","content":"hi"}]}]`,
			"gen_ai.tool.definitions": `[{"type":"function","name":"search"}]`,
		}}, workflowSpan("W", "", s.now+1, s.now+9))
	}},
	{"a lost link to a crew", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		s.victim(plain("m", "crew", s.now+1, s.now+9))
		if attacked {
			s.fillLinks()
		}
		time.Sleep(10 * time.Second)
		s.victim(member("A", "m", s.now+2, s.now+8, "desk"), crew("crew", "", s.now, s.now+10, "desk: bad call_of_bad_abc"))
	}},
	{"a lost link to a call", func(s *Settings) { s.IgnoreFailed = true }, []string{"A"}, func(s stage, attacked bool) {
		time.Sleep(6 * time.Second)
		s.victim(plain("h", "x1", s.now+2, s.now+5))
		if attacked {
			s.fillLinks()
		}
		time.Sleep(3 * time.Second)
		s.victim(failedTool("x2", "h", s.now+3, s.now+4, "search"), tool("x1", "A", s.now+2, s.now+5, "search"), agent("A", "", s.now+1, s.now+9))
	}},
	{"a lost link of a nameless agent", nil, []string{"B"}, func(s stage, attacked bool) {
		time.Sleep(9 * time.Second)
		s.victim(plain("m", "A", s.now+1, s.now+9))
		if attacked {
			s.fillLinks()
		}
		time.Sleep(3 * time.Second)
		s.victim(tool("x", "B", s.now+3, s.now+4, "bad"), agent("B", "m", s.now+2, s.now+8), named("payments", agent("A", "", s.now+1, s.now+9)))
	}},
	{"a span above a call, before it arrives", forbidBad, []string{"A", "B"}, func(s stage, attacked bool) {
		s.forgeAbove(attacked, "Y", "", plain("Y", "A", s.now+1, s.now+25))
	}},
	{"a span above a call and an inner agent, before it arrives", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		s.forgeAbove(attacked, "X", "")
	}},
	{"a span above a call, below an inner agent", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		s.forgeAbove(attacked, "A", "B")
	}},
	{"more refused agents than a trace awaits", forbidBad, []string{"A", "B"}, func(s stage, attacked bool) {
		time.Sleep(10 * time.Second)
		s.victim(named("other", agent("B", "", s.now+1, s.now+8)))
		s.sink.refuse(errors.New("down"))
		if attacked {
			all := []span{plain("r", "", s.now, s.now+1)}
			for i := range 70 {
				all = append(all, agent(fmt.Sprint("e", i), "", s.now, s.now+1))
			}
			s.evil(all...)
		}
		again := func() {
			s.victim(tool("x", "A", s.now+3, s.now+4, "bad"), named("one", agent("A", "", s.now, s.now+9)), plain("r", "A", s.now, s.now+1))
		}
		again()
		s.sink.refuse(nil)
		time.Sleep(15 * time.Second)
		again()
	}},
	{"more agents than a trace awaits, and a slow consumer", forbidBad, []string{"A", "B"}, func(s stage, attacked bool) {
		s.victim(tool("y", "B", s.now+6, s.now+7, "search"), named("outer", agent("B", "", s.now, s.now+9)))
		time.Sleep(6 * time.Second)
		if attacked {
			all := make([]span, 70)
			for i := range all { // none is held, because its values nest too deep
				all[i] = agent(fmt.Sprint("e", i), "", s.now, s.now+1).with("deep", inLists(1_100))
			}
			s.evil(all...)
		}
		s.sink.pause(6 * time.Second)
		s.victim(tool("x", "A", s.now+2, s.now+3, "bad"), named("inner", agent("A", "B", s.now+1, s.now+5)))
	}},
	{"a span below an empty copy of an agent", nil, []string{"A", "B"}, func(s stage, attacked bool) {
		time.Sleep(10 * time.Second)
		if attacked {
			s.evil(plain("r", "A", s.now+1, s.now+5))
		}
		s.victim(named("one", agent("A", "p", s.now, s.now+9)), named("one", agent("B", "p", s.now+1, s.now+8)))
		s.victim(tool("x", "B", s.now+3, s.now+4, "bad"), plain("p", "", s.now, s.now+9))
	}},
	{"an agent with a list of tools", forbidBad, []string{"A"}, func(s stage, attacked bool) {
		const scope = "opentelemetry.instrumentation.genai.langchain"
		if attacked {
			s.evil(agent("p", "", s.now+1, s.now+6).with("gen_ai.agent.tools", `["search"]`))
		}
		s.victim(tool("x", "p", s.now+3, s.now+4, "bad").with("error.type", "timeout").by(scope), agent("A", "", s.now, s.now+9).by(scope))
	}},
	{"a call before a root", forbidBad, []string{"Q", "R"}, func(s stage, attacked bool) {
		time.Sleep(13 * time.Second)
		if attacked {
			s.evil(tool("e", "gone", s.now-60, s.now-59, "x"))
		}
		s.victim(plain("Q", "", s.now, s.now+9))
		s.victim(tool("x", "lost", s.now+5, s.now+6, "bad"))
		s.victim(tool("y", "R", s.now+3, s.now+4, "search"), plain("R", "", s.now+1, s.now+12))
	}},
	{"arguments in a whole trace", func(s *Settings) { s.Run.WholeTrace, s.Run.KeepArguments = true, true; forbidRoot(s) }, []string{"R"}, func(s stage, attacked bool) {
		if attacked {
			s.evil(tool("e", "R", s.now+1, s.now+2, "del").with("gen_ai.tool.call.id", callID).with("gen_ai.tool.call.arguments", `{"path":"/tmp"}`))
		}
		s.victim(tool("x", "R", s.now+3, s.now+4, "del").with("gen_ai.tool.call.id", callID), agent("R", "", s.now, s.now+9))
	}},
	{"a model's step, before an agent's run and a step without content", forbidBad, []string{"A", "L"}, func(s stage, attacked bool) {
		if attacked {
			s.evil(model("e", "", s.now, s.now+1, nil, "x call_zzzzzzzzz1").in(9))
		}
		s.victim(tool("c", "A", s.now+3, s.now+4, "bad").in(1), agent("A", "", s.now, s.now+9).in(1))
		time.Sleep(12 * time.Second)
		s.victim(model("L", "", s.now+1, s.now+2, nil, "bad call_yyyyyyyyy1").in(2))
	}},
	{"a call below a workflow of a conversation", inConversations(nil), []string{"A"}, func(s stage, attacked bool) {
		s.victim(workflowSpan("W", "", s.now, s.now+3).in(2).with("app.chat", "x"))
		s.victim(agent("A", "", s.now+4, s.now+9).in(1).with("app.chat", "x"))
		if attacked {
			s.evil(tool("e", "W", s.now+1, s.now+2, "search").in(2))
		}
	}},
	{"a call below a root of a conversation", inConversations(nil), []string{"A"}, func(s stage, attacked bool) {
		if attacked {
			s.evil(tool("e", "R", s.now+1, s.now+2, "search").in(2))
		}
		s.victim(plain("R", "", s.now, s.now+3).in(2).with("app.chat", "x"))
		s.victim(agent("A", "", s.now+4, s.now+9).in(1).with("app.chat", "x"))
	}},
	{"a root above a call of a conversation", inConversations(forbidBad), []string{"A", "B"}, func(s stage, attacked bool) {
		s.victim(tool("c", "lost", s.now+1, s.now+2, "bad").in(2).with("app.chat", "x"))
		s.victim(agent("A", "", s.now+4, s.now+9).in(1).with("app.chat", "x"), agent("B", "", s.now+4, s.now+9).in(3).with("app.chat", "y"))
		if attacked {
			s.evil(plain("e", "", s.now, s.now+3).in(2).with("app.chat", "evil"))
		}
	}},
	{"a root above a call of a conversation, and a copy of the call", inConversations(forbidBad), []string{"A", "B"}, func(s stage, attacked bool) {
		c := tool("c", "lost", s.now+1, s.now+2, "bad").in(2)
		s.victim(c.with("app.chat", "x"))
		s.victim(agent("A", "", s.now+4, s.now+9).in(1).with("app.chat", "x"), agent("B", "", s.now+4, s.now+9).in(3).with("app.chat", "y"))
		if attacked {
			s.evil(c, plain("e", "", s.now, s.now+3).in(2).with("app.chat", "evil"))
		}
	}},
	{"a root above a part of a run over two traces", forbidBad, []string{"R", "B"}, func(s stage, attacked bool) {
		s.runOverTwoTraces()
		if attacked {
			s.evil(plain("e", "", s.now, s.now+9).in(2))
		}
	}},
	{"a root above a part of a run over two traces, and copies of its calls", forbidBad, []string{"R", "B"}, func(s stage, attacked bool) {
		copies := s.runOverTwoTraces()
		if attacked {
			s.evil(append(copies, plain("e", "", s.now, s.now+9).in(2))...)
		}
	}},
	{"a root above requests of a run over two traces, and a call below it", forbidBad, []string{"R", "B"}, func(s stage, attacked bool) {
		s.victim(tool("c", "R", s.now+1, s.now+2, "search").in(1).by("one").with("gen_ai.tool.call.id", callID), plain("R", "", s.now, s.now+9).in(1).by("one"))
		s.victim(model("d", "lost", s.now+1, s.now+2, nil, "search "+callID, "bad "+otherCallID).in(2), agent("B", "", s.now, s.now+9).in(3))
		if attacked {
			s.evil(plain("e", "", s.now, s.now+9).in(2), tool("f", "e", s.now+3, s.now+4, "thing").in(2))
		}
	}},
	{"a status that an MCP span in another trace says, too", func(s *Settings) { s.IgnoreFailed = true }, []string{"A"}, func(s stage, attacked bool) {
		mcp := protocol("p", "x", s.now+3, s.now+4, "search").with("error.type", "timeout")
		p := mcp.in(2)
		p.parent = ""
		s.victim(p)
		s.victim(tool("x", "A", s.now+2, s.now+5, "search"), agent("A", "", s.now, s.now+9))
		if attacked {
			s.evil(mcp)
		}
	}},
	{"a model's request in an agent of a crew with two tasks", nil, []string{"A", "B"}, func(s stage, attacked bool) {
		s.victim(tool("x", "A", s.now+5, s.now+6, "search"), member("A", "crew", s.now+2, s.now+8, "desk"))
		s.victim(crew("crew", "", s.now, s.now+10, "desk: bad "+callID, "desk: search "+otherCallID))
		s.victim(agent("B", "", s.now, s.now+9).in(3))
		if attacked {
			s.evil(model("e", "A", s.now+3, s.now+4, nil, "search "+callID))
		}
	}},
	{"a last step without calls in a conversation", inConversations(nil), []string{"A"}, func(s stage, attacked bool) {
		s.victim(agent("A", "", s.now, s.now+9).in(1).with("app.chat", "x"))
		if attacked {
			s.evil(model("e", "", s.now+10, s.now+11, []string{"call_aaaaaaaaa1"}).in(2).with("app.chat", "x"))
		}
	}},
}

// The law: what another process does changes no verdict that stays complete, and lets none vanish.
func TestAnotherProcessChangesNoCompleteVerdict(t *testing.T) {
	for _, act := range foreignActs {
		t.Run(act.name, func(t *testing.T) {
			verdicts := func(attacked bool) (all []map[string]any) {
				withFakeClock(t, func(s *Settings, _ *sink) {
					s.Limits = Limits{OpenRuns: 100_000, Bytes: 8 << 20}
					if act.change != nil {
						act.change(s)
					}
				}, func(_ *testing.T, r *rig) {
					time.Sleep(100 * time.Second)
					act.play(stage{r, int(time.Now().Unix())}, attacked)
					time.Sleep(3 * time.Minute)
					for _, id := range act.runs {
						all = append(all, r.verdict(id))
					}
				})
				return all
			}
			alone, attacked := verdicts(false), verdicts(true)
			complete := 0
			for i, id := range act.runs {
				if alone[i]["tool_correctness.complete"] == true {
					complete++
					require.Contains(t, attacked[i], "tool_correctness.status", "the verdict on %s", id)
				}
				if attacked[i]["tool_correctness.complete"] == true {
					require.Equal(t, alone[i], attacked[i], "the verdict on %s", id)
				}
			}
			require.Positive(t, complete, "a verdict is complete without the other process")
		})
	}
}

// In a whole trace another process can add calls. But none takes a call away.
func TestSpellingsOfAWholeTraceAreCallsOfTheirOwn(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Run.WholeTrace = true; forbidBad(s) }, func(t *testing.T, r *rig) {
		_ = r.send(tool("e", "R", 1, 2, "BAD").from("evil"))
		_ = r.send(model("x", "R", 3, 4, nil, "bad "+callID), agent("R", "", 0, 9))
		time.Sleep(3 * time.Minute)
		require.Equal(t, []any{"BAD", "bad"}, r.verdict("R")["tool_correctness.called"])
	})
}

// Tables that are full in the ordinary way make no run incomplete whose process, and those of its tools, say what is below it.
func TestFullTablesLeaveRunsOfSeveralProcessesComplete(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		time.Sleep(100 * time.Second)
		s := stage{r, int(time.Now().Unix())}
		time.Sleep(9 * time.Second)
		s.fillLinks()
		time.Sleep(2 * time.Second)
		p := protocol("p", "x", s.now+3, s.now+4, "search")
		p.kind = ptrace.SpanKindServer
		_ = s.send(p.from("server"), tool("x", "B", s.now+2, s.now+5, "search").from("app"), named("inner", agent("B", "A", s.now+1, s.now+7)).from("app"),
			tool("y", "A", s.now+7, s.now+8, "search").from("app"), named("outer", agent("A", "", s.now, s.now+9)).from("app"))
		time.Sleep(3 * time.Minute)
		for _, id := range []string{"A", "B"} {
			require.Equal(t, true, r.verdict(id)["tool_correctness.complete"], id)
		}
	})
}
