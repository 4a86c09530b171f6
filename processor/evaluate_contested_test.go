package processor

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// comparing is a metric that compares arguments.
func comparing(s *Settings) {
	options := scoring.DefaultNative()
	options.Arguments = scoring.ArgumentsExact
	native, err := scoring.NewNative(options)
	if err != nil {
		panic(err)
	}
	s.Metrics[0].Method = native
	s.Run.KeepArguments, s.Run.KeepOutput = true, true
}

// stated is the verdict of the victim's run, and why runs are contested.
type stated struct {
	called, contest string
	complete        bool
}

// The spans of the victim come from the process "victim", and hostile ones from another. Each case is played in every order
// in which its spans can arrive.
func TestWhoIsBelieved(t *testing.T) {
	victim := func(s span) span { return s.from("victim") }
	hostile := func(s span) span { return s.from("hostile") }
	const id = "gen_ai.tool.call.id"
	run, shell := victim(agent("run", "", 0, 10)), victim(tool("shell", "run", 3, 4, "shell"))
	whole := func(called string) stated { return stated{called, "", true} }
	contradicted := func(called string) stated { return stated{called, "contradiction", false} }
	overheard := func(called string) stated { return stated{called, "other_process", false} }
	for _, tc := range []struct {
		name   string
		set    func(*Settings)
		spans  []span
		want   stated
		reason string
	}{
		{"a span comes twice", nil, []span{run, shell, shell}, whole("shell"), "a retried export adds nothing"},
		{"a span was flushed while it was under way", nil,
			[]span{run, shell.with("gen_ai.tool.call.result", "done"), victim(tool("shell", "run", 3, 3, "shell"))},
			whole("shell"), "the later copy has more and contradicts nothing"},
		{"a copy with another name", nil, []span{run, shell, victim(tool("shell", "run", 3, 4, "search"))},
			contradicted("search shell"), "which is true is not known, so both are kept"},
		{"a copy with another start", nil, []span{run, shell, victim(tool("shell", "run", 2, 4, "shell"))},
			contradicted("shell shell"), "a span begins once"},
		{"a copy with other arguments", comparing,
			[]span{run, shell.with("gen_ai.tool.call.arguments", `{"a":1}`), shell.with("gen_ai.tool.call.arguments", `{"a":2}`)},
			contradicted("shell shell"), "a call has one set of arguments"},
		{"a copy below another agent", nil, []span{run, shell, victim(agent("other", "", 2, 5)), victim(tool("shell", "other", 3, 4, "shell"))},
			contradicted("shell"), "the call counts for the runs below which it was recorded"},
		{"a copy of the agent with another name", nil,
			[]span{run.with("gen_ai.agent.name", "a"), shell, run.with("gen_ai.agent.name", "b")},
			contradicted("shell"), "the name chooses what is expected"},
		{"a copy of the agent with another start", nil, []span{run, shell, victim(agent("run", "", 1, 10))},
			contradicted("shell"), "an agent begins once"},
		{"a copy of the agent with another attribute", nil, []span{run.with("team", "a"), shell, run.with("team", "b")},
			contradicted("shell"), "conditions read attributes, and choose what is expected"},
		{"a copy of the agent with less", nil, []span{run.with("team", "a"), shell, run}, whole("shell"), "it was flushed before all was known"},

		{"another process's copy with another name", nil, []span{run, shell, hostile(tool("shell", "run", 4, 5, "search"))},
			overheard("shell search"), "it is another span, which adds a call and takes none away"},
		{"another process's copy below its own agent", nil,
			[]span{run, shell, hostile(agent("evil", "", 2, 5)), hostile(tool("shell", "evil", 3, 4, "shell"))},
			whole("shell"), "it is another span, in another run"},
		{"another process's copy of the agent", nil, []span{run, shell, hostile(agent("run", "", 1, 9).with("gen_ai.agent.name", "evil"))},
			whole("shell"), "the run's own process says what its spans are below"},
		{"another process's agent in the run", nil, []span{run, shell, hostile(agent("evil", "run", 2, 5))},
			whole("shell"), "the run's own span is below the run, whatever another one says"},
		{"another process's agent that a call says to be below", nil,
			[]span{run, hostile(agent("evil", "run", 2, 5)), victim(tool("shell", "evil", 3, 4, "shell"))},
			stated{"shell", "contradiction other_process", false}, "the call counts for both runs, because either may be true"},
		{"another process's agent around a call of unknown origin", nil,
			[]span{run, victim(tool("shell", "gone", 3, 4, "shell")), hostile(agent("evil", "", 3, 4))},
			whole("shell"), "of runs at the time of a call one of its own process has it"},
		{"another process's link of a span between", nil,
			[]span{run, victim(plain("web", "run", 2, 5)), victim(tool("shell", "web", 3, 4, "shell")),
				hostile(plain("web", "evil", 2, 5)), hostile(agent("evil", "", 1, 9))},
			whole("shell"), "each process has its own links"},
		{"another process's call below the agent", nil, []span{run, shell, hostile(tool("more", "run", 5, 6, "search"))},
			overheard("shell search"), "an expected call that only another process recorded proves nothing"},
		{"another process's call with the id of one", nil,
			[]span{run, shell.with(id, "call_abcdefgha"), hostile(tool("more", "run", 2, 3, "search").with(id, "call_abcdefgha"))},
			overheard("search shell"), "two tellings of one call have one name"},
		{"a call of that id in another process's run", nil,
			[]span{run, shell.with(id, "call_abcdefgha").by("a"), hostile(agent("evil", "", 0, 10).in(1)),
				hostile(tool("more", "evil", 3, 4, "shell").with(id, "call_abcdefgha").by("b").in(1))},
			whole("shell"), "two tellings of one run are of one process"},
		{"a protocol's server below the call says that it failed", func(s *Settings) { s.IgnoreFailed = true },
			[]span{run, shell, hostile(protocol("mcp", "shell", 3, 4, "shell").with("error.type", "tool_error"))},
			whole("shell"), "a server cannot have its own call vanish"},
		{"a protocol's client below the call says that it failed", func(s *Settings) { s.IgnoreFailed = true },
			[]span{run, shell, victim(protocol("mcp", "shell", 3, 4, "shell").with("error.type", "tool_error"))},
			whole(""), "the run's own process knows how its call ended"},
		{"a protocol's server below the call has the arguments", comparing,
			[]span{run, shell, hostile(protocol("mcp", "shell", 3, 4, "shell").with("gen_ai.tool.call.arguments", `{"a":1}`))},
			overheard("shell"), "the verdict depends on arguments that only another process recorded"},
		{"a protocol's server has arguments that no metric compares", nil,
			[]span{run, shell, hostile(protocol("mcp", "shell", 3, 4, "shell").with("gen_ai.tool.call.arguments", `{"a":1}`))},
			whole("shell"), "the verdict does not rest on them"},
		{"a protocol's server has other arguments than the call", comparing,
			[]span{run, shell.with("gen_ai.tool.call.arguments", `{"a":1}`),
				hostile(protocol("mcp", "shell", 3, 4, "shell").with("gen_ai.tool.call.arguments", `{"a":2}`))},
			whole("shell"), "the run's own process says what it asked for"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for order := range orders(len(tc.spans)) {
				r := newRig(t, func(s *Settings, _ *sink) {
					if tc.set != nil {
						tc.set(s)
					}
				})
				out := r.verdicts(t)
				r.clock.stop()
				for _, i := range order {
					require.NoError(t, r.send(tc.spans[i]))
				}
				for range 3 {
					r.clock.advance(2 * time.Minute)
					r.tick(t.Context(), t.Context())
				}
				got := stated{complete: true}
				require.Len(t, out["victim 72756e"], 1, "all copies have one verdict")
				for verdict := range out["victim 72756e"] {
					got.called = calledIn(t, verdict)
					got.complete = strings.Contains(verdict, `"tool_correctness.complete":true`)
				}
				for _, contest := range []string{"contradiction", "other_process"} {
					if r.totalWith("contested_runs", "contest", contest) > 0 {
						got.contest = strings.TrimSpace(got.contest + " " + contest)
					}
				}
				assert.Equal(t, tc.want, got, "%s; arrived as %v", tc.reason, order)
				require.NoError(t, r.Shutdown(t.Context()))
				r.conserved()
				if t.Failed() {
					return
				}
			}
		})
	}
}

// calledIn are the names of a verdict's calls.
func calledIn(t *testing.T, verdict string) string {
	t.Helper()
	_, list, found := strings.Cut(verdict, `"tool_correctness.called":[`)
	require.True(t, found, verdict)
	list, _, _ = strings.Cut(list, "]")
	return strings.ReplaceAll(strings.ReplaceAll(list, `"`, ""), ",", " ")
}

// orders yields the permutations of n numbers.
func orders(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		order := make([]int, 0, n)
		var place func() bool
		place = func() bool {
			if len(order) == n {
				return yield(slices.Clone(order))
			}
			for i := range n {
				if slices.Contains(order, i) {
					continue
				}
				order = append(order, i)
				if !place() {
					return false
				}
				order = order[:len(order)-1]
			}
			return true
		}
		place()
	}
}
