package draft

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var update = flag.Bool("update", false, "write what is drafted and imported over the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string, reason ...any) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, reason...)
}

func call(name, arguments string) scoring.Call {
	return scoring.Call{Name: name, Arguments: scoring.JSON(arguments)}
}

// named are calls without arguments.
func named(names string) (calls []scoring.Call) {
	for name := range strings.FieldsSeq(names) {
		calls = append(calls, scoring.Call{Name: name})
	}
	return calls
}

// many returns that many runs of an agent.
func many(n int, agent string, calls func(i int) []scoring.Call) (runs []Run) {
	for i := range n {
		runs = append(runs, Run{Agent: agent, Calls: calls(i)})
	}
	return runs
}

// drafted is the configuration that a draft writes.
func drafted(t *testing.T, runs []Run, key, head string) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, New(runs).YAML(&b, key, head))
	return b.String()
}

// support has all that a draft can say: always, sometimes, once, alternatives, counts, constants and an order.
func support(i int) []scoring.Call {
	calls := []scoring.Call{call("search_orders", fmt.Sprintf(`{"customer":%d,"limit":10,"scope":{"open":true}}`, i))}
	if i%25 != 0 { // 48 of 50
		calls = append(calls, call("check_policy", `{"region":"EU"}`))
	}
	for range 1 + i%3 {
		calls = append(calls, call("note", fmt.Sprintf(`{"text":"%d"}`, i)))
	}
	if i%2 == 0 {
		calls = append(calls, call("refund_order", `{}`))
	} else {
		calls = append(calls, call("escalate", `{}`))
	}
	if i == 7 {
		calls = append(calls, call("delete_account", `{}`))
	}
	return calls
}

func TestDrafts(t *testing.T) {
	for _, tc := range []struct {
		name   string
		runs   []Run
		reason string
	}{
		{"support", many(50, "support", support), "all that a draft can say"},
		{"mixed", append(many(4, "free", func(i int) []scoring.Call { return named([]string{"a b", "b a"}[i%2]) }), many(3, "strict", func(int) []scoring.Call { return named("a b a") })...),
			"one agent has an order, and the other has none: each has a metric"},
		{"quiet", many(3, "", func(int) []scoring.Call { return nil }), "an agent without name and calls"},
		{"once", many(1, "single", func(int) []scoring.Call { return []scoring.Call{call("a", `{"x":1}`)} }), "a single run supports names, and no values"},
		{"hostile", many(2, "a\"\n${env:HOME}\\", func(int) []scoring.Call {
			return []scoring.Call{call("$1 # no comment\n- x: ", `{"true":"yes","n":1e400,"#":"${env:HOME}","deep":[{"a":"$"}],"long":12345678901234567890}`)}
		}), "texts are texts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for i := range tc.runs {
				if tc.name == "support" {
					tc.runs[i].Key = `"refunds"`
				}
			}
			key := map[bool]string{true: `attributes["test.case.name"]`}[tc.name == "support"]
			got := drafted(t, tc.runs, key, "Drafted by a test.")
			golden(t, filepath.Join("testdata", "suggest", tc.name+".yaml"), got, tc.reason)
			var back map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(got), &back))
		})
	}
}

// Names in a draft hide nothing, and load as they were.
func TestDraftsHideNothing(t *testing.T) {
	const agent, tool, other = "support\u202e", "\u2066refund\u061c", "search\u200b"
	text := drafted(t, many(3, agent, func(int) []scoring.Call {
		return []scoring.Call{call(tool, `{"to\u202e":"x\u200f"}`), call(other, `{}`)}
	}), "session\u202e", "from \u202e")
	shows(t, text)
	var document struct {
		Processors map[string]struct {
			Expectations []struct {
				Name  string
				Tools []struct{ Name string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &document))
	x := document.Processors["tool_correctness"].Expectations[0]
	require.Equal(t, agent, x.Name, "the draft has the name of the agent")
	require.Equal(t, []struct{ Name string }{{tool}, {other}}, x.Tools, "so a run that calls these tools passes")
}

// The order of the runs does not matter.
func TestDraftsDoNotDependOnTheOrder(t *testing.T) {
	runs := many(50, "support", support)
	want := drafted(t, runs, "", "")
	for i := range 20 {
		runs = append(runs[i+1:], runs[:i+1]...)
		require.Equal(t, want, drafted(t, runs, "", ""))
	}
}

// All runs pass under their own draft.
func TestGivenRunsPass(t *testing.T) {
	for seed := range 200 {
		var runs []Run
		next := uint32(seed*2654435761 + 1)
		random := func(n int) int {
			next = next*1664525 + 1013904223
			return int(next>>16) % n
		}
		for range 1 + random(12) {
			var calls []scoring.Call
			for range random(6) {
				calls = append(calls, call(string(rune('a'+random(4))), fmt.Sprintf(`{"x":%d,"y":true}`, random(2))))
			}
			runs = append(runs, Run{Agent: string(rune('A' + random(2))), Calls: calls})
		}
		d := New(runs)
		o := scoring.DefaultNative()
		o.Score, o.Threshold = scoring.F1, 1
		if d.ordered {
			o.Order = scoring.InOrder
		}
		if d.arguments {
			o.Arguments = scoring.ArgumentsSubset
		}
		method, err := scoring.NewNative(o)
		require.NoError(t, err)
		for _, g := range d.groups {
			tools := make([]scoring.Tool, len(g.tools))
			for i, t := range g.tools {
				tools[i] = t.expected()
			}
			x, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
			require.NoError(t, err)
			for _, r := range g.runs {
				require.True(t, method.Judge(x, r.Calls).Passed, "seed %d", seed)
			}
		}
	}
}

// expected is the tool as the scorer has it.
func (t *tool) expected() scoring.Tool {
	x := scoring.Tool{Name: t.Name, Optional: t.Optional, Arguments: payload(t.Arguments)}
	if t.Count != nil {
		x.Count = scoring.Count(*t.Count)
	}
	return x
}

// payload returns the arguments as the scorer takes them. It is empty if there are none.
func payload(arguments any) scoring.Payload {
	text, err := json.Marshal(arguments)
	if err != nil || arguments == nil {
		return scoring.Payload{}
	}
	return scoring.JSON(string(text))
}

// In the comments of a draft, a number that never varied is no range.
func TestACountThatNeverVariedIsOneNumber(t *testing.T) {
	draft := drafted(t, many(4, "support", func(i int) []scoring.Call {
		if i%2 == 0 {
			return named("poll poll close")
		}
		return named("close poll poll")
	}), "", "")
	assert.Contains(t, draft, "max: 2 # 2 calls in a run\n")
}
