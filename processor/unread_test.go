package processor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An unreadRow of testdata/unread.yaml is what is written in some forms of a run. A call of the tool shell is forbidden unless others are.
type unreadRow struct {
	Name, Reason string
	In           []string // forms
	Writes       string
	Cut          int   // how many bytes of a text the sender takes, 0 for all
	Behind       []int // so many bytes behind the place where something is written the sender cuts, each in turn
	Dropped      uint32
	Sources      string
	Anchor       string // whose verdict it is, "a" if empty
	Forbidden    []struct{ Name, Arguments, Where string }
	// Want is failed, doubtful (it passed, and is not complete), passed, or not passed; or the status of the verdict.
	Want string
}

// settings forbid the calls of the row.
func (row *unreadRow) settings(t *testing.T) (x scoring.ExpectationSettings) {
	for _, f := range row.Forbidden {
		tool := scoring.Tool{Name: f.Name}
		if f.Where != "" {
			tool = where(t, f.Name, f.Where)
		}
		if f.Arguments != "" {
			tool.Arguments = scoring.JSON(f.Arguments)
		}
		x.Forbidden = append(x.Forbidden, tool)
	}
	if x.Forbidden == nil {
		x.Forbidden = []scoring.Tool{{Name: "shell"}}
	}
	return x
}

// longTexts are what rows write in short.
var longTexts = strings.NewReplacer(
	"<deep>", tooDeepObject(), "<deep Python>", strings.Repeat(`{'a':`, 101)+"1"+strings.Repeat("}", 101),
	"<rm>", strings.Repeat("rm ", 1000), "<long>", strings.Repeat("long ", 1000), "<brackets>", strings.Repeat("]}]", 1000),
)

// filled are the texts of a form with what the row writes. A text is cut at most bytes, and behind bytes after what is written.
func (row *unreadRow) filled(form map[string]string, behind int) map[string]string {
	writes := longTexts.Replace(row.Writes)
	quoted, _ := json.Marshal(writes)
	texts := map[string]string{}
	for name, text := range form {
		at := strings.Index(text, "$")
		text = strings.NewReplacer("$$", string(quoted[1:len(quoted)-1]), "$", writes).Replace(text)
		if row.Cut > 0 {
			text = text[:min(len(text), row.Cut)]
		}
		if at >= 0 && behind >= 0 {
			text = text[:at+len(writes)+behind]
		}
		texts[name] = text
	}
	return texts
}

func TestWhatIsWrittenHidesNoForbiddenCall(t *testing.T) {
	file := testrows.File[struct {
		Forms map[string]struct {
			Spans string
			Texts map[string]string `yaml:",inline"`
		}
		Rows []unreadRow
	}](t, "testdata/unread.yaml")
	sources := map[string]runs.Sources{"": runs.Auto, "messages": runs.Messages, "spans": runs.Spans}
	for _, row := range file.Rows {
		for _, name := range row.In {
			t.Run(row.Name+"/"+name, func(t *testing.T) {
				require.Contains(t, file.Forms, name)
				require.Contains(t, sources, row.Sources)
				form, cuts := file.Forms[name], row.Behind
				if cuts == nil {
					cuts = []int{-1}
				}
				for _, behind := range cuts {
					sent := spansWith(t, form.Spans, row.filled(form.Texts, behind))
					for i := range sent {
						sent[i].dropped = row.Dropped
					}
					v := verdictOf(t, row.settings(t), func(s *Settings) { s.Run.Sources = sources[row.Sources] }, cmp.Or(row.Anchor, "a"), sent...)
					require.Contains(t, outcomes(v), row.Want, row.Reason)
				}
			})
		}
	}
}

// outcomes are the words for a verdict in a row.
func outcomes(verdict map[string]any) []string {
	status := fmt.Sprint(verdict["tool_correctness.status"])
	switch isPassed, isComplete := verdict["tool_correctness.passed"] != false, verdict["tool_correctness.complete"] != false; {
	case status != "scored":
		return []string{status, "not passed"}
	case !isPassed:
		return []string{status, "not passed", "failed"}
	case !isComplete:
		return []string{status, "not passed", "doubtful"}
	}
	return []string{status, "passed"}
}

// A message that is structured is bounded, too.
func TestAStructuredMessageThatIsTooDeepMakesItsRunDoubtful(t *testing.T) {
	var deep any = "rm"
	for range 120 {
		deep = map[string]any{"a": deep}
	}
	structured := []any{map[string]any{"role": "assistant", "parts": []any{map[string]any{"type": "tool_call", "id": "call_aaaaaaaa", "name": "shell", "arguments": deep}}}}
	m := span{id: "m", parent: "a", start: 2, end: 3, scope: "mine", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.output.messages": structured}}
	v := verdictOf(t, scoring.ExpectationSettings{Forbidden: []scoring.Tool{{Name: "shell"}}}, nil, "a", agent("a", "", 1, 9), m)
	require.Contains(t, outcomes(v), "doubtful", "it nests deeper than 100 levels")
}

// verdictOf is the verdict on a run under an expectation. change may be nil.
func verdictOf(t *testing.T, x scoring.ExpectationSettings, change func(*Settings), anchor string, spans ...span) map[string]any {
	t.Helper()
	r := newRig(t, func(set *Settings, k *sink) {
		expect(t, x)(set, k)
		if change != nil {
			change(set)
		}
	})
	r.DryRun(func(evaluate.Report) {})
	r.pass(traces(spans...))
	return r.verdict(anchor)
}

// tooDeepObject is an object with more levels than the decoder reads.
func tooDeepObject() string { return strings.Repeat(`{"a":`, 1_001) + "1" + strings.Repeat("}", 1_001) }

// chat is a model call by the conventions. It was given messages, and requested calls "name id".
func chat(id, parent string, start, end int, given string, asked ...string) span {
	var parts []string
	for _, call := range asked {
		name, callID, _ := strings.Cut(call, " ")
		parts = append(parts, fmt.Sprintf(`{"type":"tool_call","name":%q,"id":%q,"arguments":{}}`, name, callID))
	}
	return span{id: id, parent: parent, start: start, end: end, scope: "app", attributes: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": given,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]`,
	}}
}

// shownResult is the messages for a model that is shown the result of a call.
func shownResult(id string, failed bool) string {
	return fmt.Sprintf(`[{"role":"user","parts":[]},{"role":"tool","parts":[{"type":"tool_call_response","id":%q,"response":"x","is_error":%v}]}]`, id, failed)
}

const (
	t0        = 100 // when the plays begin
	oneID     = "call_aaaaaaaaa1"
	anotherID = "call_bbbbbbbbb1"
)

// idOr is another ID, or one that is used again.
func idOr(again bool, used string) string {
	if again {
		return used
	}
	return "call_ccccccccc1"
}

// bad is a tool that must not be called.
var bad = scoring.ExpectationSettings{Forbidden: []scoring.Tool{{Name: "bad"}}}

// twinActs are plays in two variants: in the other one a model writes something else that is no call. Both variants have the same calls,
// and one run.
var twinActs = []struct {
	name     string
	expected scoring.ExpectationSettings
	change   func(*Settings)
	run      string
	play     func(other bool) []span
}{
	{"a model uses the ID of a parallel call again", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "approve"}, {Name: "pay"}}}, scoredInOrder, "A", func(other bool) []span {
		id := idOr(other, anotherID)
		return spans("agent A [100-120]; model m<A [101-102] asks:log#" + oneID + " asks:pay#" + anotherID +
			"; tool l<A [103-104] log id:" + oneID + "; tool p<A [103-104] pay id:" + anotherID +
			"; model m2<A [105-106] shows:" + oneID + " shows:" + anotherID + " asks:approve#" + id + "; tool q<A [107-108] approve id:" + id)
	}},
	{"a later loop uses an ID again", bad, nil, "R", func(other bool) []span {
		id := idOr(other, oneID)
		return spans("plain R [100-109]; model m<R [101-102] asks:search#" + oneID + "; model m2<R [103-104] shows:" + oneID +
			"; model o<R [105-106] asks:bad#" + id + "; model o2<R [107-108] shows:" + id)
	}},
	{"an earlier loop whose parent is lost", bad, nil, "m", func(other bool) []span {
		return spans("model m [100-101] asks:bad#" + oneID + map[bool]string{true: "; model o<lost [98-99] asks:search#" + anotherID}[other])
	}},
	{"a model uses the ID of a call that failed again", bad, func(s *Settings) { s.IgnoreFailed = true }, "A", func(other bool) []span {
		id := idOr(other, oneID)
		return []span{agent("A", "", t0, t0+20),
			chat("m", "A", t0+1, t0+2, `[{"role":"user","parts":[]}]`, "search "+oneID),
			tool("p", "A", t0+3, t0+4, "search").with("gen_ai.tool.call.id", oneID),
			chat("m2", "A", t0+5, t0+6, shownResult(oneID, true), "bad "+id),
			tool("q", "A", t0+7, t0+8, "bad").with("gen_ai.tool.call.id", id),
			chat("m3", "A", t0+9, t0+10, shownResult(id, false))}
	}},
	{"a user's content that has a role", bad, nil, "R", func(other bool) []span {
		role := map[bool]string{true: "assistant", false: "x"}[other]
		return []span{plain("R", "", t0, t0+9),
			chat("m", "R", t0+1, t0+2, `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`, "search "+oneID),
			chat("o", "R", t0+5, t0+6, `[{"role":"user","parts":[{"type":"data","content":{"role":"`+role+`"}}]}]`, "bad "+anotherID)}
	}},
	{"a model asks for many calls in the order in which they end", scoring.ExpectationSettings{
		Forbidden: []scoring.Tool{{Name: "pay", Arguments: scoring.JSON(`{"n":39}`)}},
	}, func(s *Settings) { s.IgnoreFailed, s.Run.Sources = true, runs.Messages }, "A", func(other bool) []span {
		m, all := model("m", "A", t0+1, t0+2, nil), []span{agent("A", "", t0, t0+90)}
		for i := range 40 {
			arguments, place := fmt.Sprintf(`{"n":%d}`, i), 39-i
			if other {
				place = i
			}
			asked := fmt.Sprint("llm.output_messages.0.message.tool_calls.", place, ".tool_call.")
			m = m.with(asked+"id", "call_0").with(asked+"function.name", "pay").with(asked+"function.arguments", arguments)
			c := tool(fmt.Sprint("c", i), "A", t0+50-i, t0+60, "pay").with("gen_ai.tool.call.arguments", arguments)
			if i == 39 {
				c = c.with("error.type", "timeout")
			}
			all = append(all, c)
		}
		return append(all, m)
	}},
	{"many tools that run agents", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}}, nil, "A", func(other bool) []span {
		step := func(id, parent string) span {
			return span{id: id, parent: parent, start: t0 + 2, end: t0 + 3, name: "agent.toolCalling", scope: "@arizeai/openinference-instrumentation-beeai",
				attributes: map[string]any{"openinference.span.kind": "AGENT"}}
		}
		all := []span{tool("last", "A", t0+1, t0+8, "ask")}
		for i := range 200 {
			id := fmt.Sprint("t", i)
			if all = append(all, tool(id, "A", t0+1, t0+8, "ask")); other {
				all = append(all, step("s"+id, id))
			}
		}
		return append(all, step("s", "last"), tool("x", "last", t0+4, t0+5, "search"), agent("A", "", t0, t0+9))
	}},
}

// What a model writes changes no verdict that stays complete.
func TestTwinsHaveOneCompleteVerdict(t *testing.T) {
	for _, act := range twinActs {
		t.Run(act.name, func(t *testing.T) {
			one, other := verdictOf(t, act.expected, act.change, act.run, act.play(false)...), verdictOf(t, act.expected, act.change, act.run, act.play(true)...)
			complete := [2]bool{one["tool_correctness.complete"] == true, other["tool_correctness.complete"] == true}
			assert.NotEqual(t, [2]bool{}, complete, "no verdict is complete, so the play shows nothing")
			if complete == [2]bool{true, true} {
				for _, key := range []string{"tool_correctness.status", "tool_correctness.passed", "tool_correctness.score"} {
					assert.Equal(t, one[key], other[key], key)
				}
			}
		})
	}
}

func scoredInOrder(s *Settings) {
	o := scoring.DefaultNative()
	o.Order = scoring.InOrder
	s.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
}
