package processor

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func annotatesCalls(s *Settings, _ *sink) { s.AnnotateCalls = true }

// callAttributes returns the attributes of a call's verdict: "m verdict credit", sorted by metric.
func (r *rig) callAttributes(name string) (all []string) {
	attributes := r.verdict(name)
	for _, m := range r.set.Metrics {
		verdict, ok := attributes[m.Name+".call.verdict"]
		if !ok {
			require.NotContains(r.t, attributes, m.Name+".call.credit")
			continue
		}
		line := m.Name + " " + verdict.(string)
		if credit, ok := attributes[m.Name+".call.credit"]; ok {
			line += " " + strconv.FormatFloat(credit.(float64), 'g', 3, 64)
		}
		all = append(all, line)
	}
	return all
}

func TestSpansOfCallsWaitForTheirRun(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(plain("web", "run", 2, 9), tool("call", "web", 3, 4, "search")))
		require.NoError(t, r.send(tool("extra", "run", 5, 6, "lookup")))
		r.after(time.Second, 1)
		require.NoError(t, r.send(agent("run", "", 1, 10)))
		require.Equal(t, 3, r.total("spans_held"))
		r.after(9*time.Second, 1)
		r.after(2*time.Second, 4)
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("call"))
		require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("extra"))
		require.Empty(t, r.callAttributes("run"))
		require.Equal(t, 1.0, r.verdict("run")["tool_correctness.score"])

		require.NoError(t, r.send(tool("late", "run", 5, 6, "search"), tool("call", "web", 3, 4, "search")))
		r.after(0, 5) // the late one
		require.Empty(t, r.callAttributes("late"))
		r.after(time.Minute, 6) // only now it is known that the copy is of a closed run as well
	})
}

// Without the option no span but the run's waits, and nothing is written on it.
func TestSpansOfCallsLeaveAtOnceByDefault(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		sent := tool("call", "run", 3, 4, "search")
		require.NoError(t, r.send(sent, agent("run", "", 1, 10), tool("root", "", 1, 2, "search").in(1)))
		r.after(0, 1)
		require.Equal(t, sent.attributes, r.verdict("call"))
		r.after(time.Minute, 3)
		require.Empty(t, r.callAttributes("run"))
		require.Contains(t, r.verdict("root"), "tool_correctness.score")
		require.Empty(t, r.callAttributes("root"))
	})
}

// byMethod has a metric of each method, by the method's name. Those that can compare arguments do.
func byMethod(t *testing.T) (all []evaluate.Metric) {
	add := func(m scoring.Method, err error) {
		require.NoError(t, err)
		all = append(all, evaluate.Metric{Name: m.Name(), Method: m})
	}
	native := scoring.DefaultNative()
	native.Order, native.Arguments = scoring.InOrder, scoring.ArgumentsSubset
	add(scoring.NewNative(native))
	axion := scoring.DefaultAxion()
	axion.CheckParameters = true
	add(scoring.NewAxion(axion))
	deepEval := scoring.DefaultDeepEval()
	deepEval.EvaluationParams = []string{"input_parameters"}
	add(scoring.NewDeepEval(deepEval))
	add(scoring.NewDeepEvalMultimodal(deepEval))
	evalSharp := scoring.DefaultEvalSharp()
	evalSharp.EvaluationParams = deepEval.EvaluationParams
	add(scoring.NewEvalSharp(evalSharp))
	add(scoring.NewEvalLib(scoring.DefaultEvalLib()))
	add(scoring.NewGaltea(scoring.DefaultGaltea()))
	return all
}

// Each method gives each call a class.
func TestAttributesOfCalls(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) {
		e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{
			{Name: "lookup", Arguments: scoring.JSON(`{"k": 1}`)}, {Name: "search", Arguments: scoring.JSON(`{"q": 1, "r": 1}`)}, {Name: "book", Arguments: scoring.JSON(`{}`)},
		}})
		require.NoError(t, err)
		s.AnnotateCalls, s.Run.KeepArguments, s.Run.KeepOutput = true, true, true
		s.Metrics = byMethod(t)
		s.Expectations = []evaluate.Expectation{{Name: "0", Expected: e, Metrics: s.Metrics}}
	}, func(t *testing.T, r *rig) {
		argued := func(s span, arguments string) span {
			return s.with("gen_ai.tool.call.arguments", arguments).with("gen_ai.tool.call.result", "done")
		}
		require.NoError(t, r.send(
			argued(tool("half", "run", 2, 3, "search"), `{"q": 1}`), argued(tool("again", "run", 4, 5, "search"), `{"q": 1}`),
			argued(tool("full", "run", 6, 7, "lookup"), `{"k": 1}`), argued(tool("extra", "run", 8, 9, "fetch"), `{}`), agent("run", "", 1, 10),
		))
		r.after(time.Minute, 5)
		for name, want := range map[string][]string{
			"half": {
				"native mismatched", "axion mismatched", "deepeval partly_matched 0.5", "deepeval_multimodal partly_matched 0.5",
				"evalsharp partly_matched 0.5", "eval_lib matched 1", "galtea matched 1",
			},
			"again": {
				"native unexpected", "axion unexpected", "deepeval unexpected", "deepeval_multimodal unexpected",
				"evalsharp unexpected", "eval_lib unexpected", "galtea repeated",
			},
			"full": {
				"native matched 1", "axion matched 1", "deepeval matched 1", "deepeval_multimodal matched 1",
				"evalsharp matched 1", "eval_lib matched 1", "galtea matched 1",
			},
			"extra": {
				"native unexpected", "axion unexpected", "deepeval unexpected", "deepeval_multimodal unexpected",
				"evalsharp unexpected", "eval_lib unexpected", "galtea unexpected",
			},
			"run": nil,
		} {
			assert.Equal(t, want, r.callAttributes(name), name)
		}
	})
}

func TestWhatIsWrittenOnSpansOfCalls(t *testing.T) {
	search := []string{"tool_correctness matched 1"}
	forbidding := func(s *Settings, _ *sink) {
		e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}, Forbidden: []scoring.Tool{{Name: "rm"}}})
		require.NoError(t, err)
		s.Expectations[0].Expected = e
	}
	for _, tc := range []struct {
		name   string
		change func(*Settings, *sink)
		spans  []span
		want   map[string][]string
		reason string
	}{
		{"the whole trace", func(s *Settings, _ *sink) { s.Run.WholeTrace = true },
			[]span{plain("root", "", 0, 20), agent("a", "root", 1, 9), tool("c", "a", 2, 3, "search"), tool("t", "root", 11, 12, "planner").with("gen_ai.agent.name", "b")},
			map[string][]string{"c": search, "t": {"tool_correctness unexpected"}, "root": nil, "a": nil}, "its root stands for all calls"},
		{"a tool that is the root", nil, []span{tool("c", "", 2, 3, "search"), tool("d", "c", 2, 3, "lookup")},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}}, "it is the run's span and a call's"},
		{"a forbidden call", forbidding, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "rm")},
			map[string][]string{"c": search, "d": {"tool_correctness forbidden"}}, "the score of the run is 0"},
		{"what cannot be known", func(s *Settings, sink *sink) {
			exact := scoring.DefaultNative()
			exact.Arguments = scoring.ArgumentsExact
			m, err := scoring.NewNative(exact)
			require.NoError(t, err)
			e, err := scoring.NewExpectation(scoring.ExpectationSettings{
				Tools: []scoring.Tool{{Name: "search", Arguments: scoring.JSON(`{"q": 1}`)}}, Forbidden: []scoring.Tool{{Name: "rm"}},
			})
			require.NoError(t, err)
			s.Metrics[0].Method, s.Expectations[0].Expected = m, e
		}, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "rm")},
			map[string][]string{"c": nil, "d": {"tool_correctness forbidden"}}, "the arguments of c were not captured"},
		{"what an earlier processor wrote", nil,
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "lookup").with("tool_correctness.call.credit", 1.0).with("tool_correctness.call.verdict", "matched")},
			map[string][]string{"c": {"tool_correctness unexpected"}}, "both are replaced"},
		{"a call that failed and is ignored", func(s *Settings, _ *sink) { s.IgnoreFailed = true },
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "search").with("error.type", "timeout")},
			map[string][]string{"c": search, "d": nil}, "it is no call of the run"},
		{"no score", func(s *Settings, _ *sink) {
			s.Expectations[0].Expected, s.Expectations[0].FromAttribute = nil, "expected"
		},
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search").with("tool_correctness.call.verdict", "matched")},
			map[string][]string{"c": nil}, "nothing is known of the call, and what stands there is of another run"},
		{"no expectation", func(s *Settings, _ *sink) { s.Expectations = nil }, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")},
			map[string][]string{"c": nil}, "the run is left alone"},
		{"no anchor", nil, []span{tool("c", "a", 2, 3, "search")}, map[string][]string{"c": nil}, "no span says that the run is not complete"},
		{"two spans of one call", nil, []span{agent("a", "", 1, 9), tool("c", "a", 2, 5, "search"), protocol("d", "c", 3, 4, "search")},
			map[string][]string{"c": search, "d": nil}, "the outer one is the call's"},
		{"calls that only models requested", nil, []span{agent("a", "", 1, 9), model("m", "a", 2, 3, nil, "search call_abcdefgh")},
			map[string][]string{"a": nil, "m": nil}, "a model's span is none of a call"},
		{"a model that is the run's span", nil, []span{model("m", "", 2, 3, nil, "search call_abcdefgh")},
			map[string][]string{"m": nil}, "likewise"},
		{"runs that are put together", func(s *Settings, _ *sink) { s.Run.Conversations = true },
			[]span{agent("a", "", 1, 9).with("session.id", "s"), tool("c", "a", 2, 3, "search"),
				agent("b", "", 11, 19).in(1).with("session.id", "s"), tool("d", "b", 12, 13, "lookup").in(1)},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}, "a": nil}, "the calls are of one run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = true
				s.ConversationAttributes = []string{"session.id"}
				if tc.change != nil {
					tc.change(s, sink)
				}
			}, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(tc.spans...))
				r.after(5*time.Minute, len(tc.spans))
				for name, want := range tc.want {
					assert.Equal(t, want, r.callAttributes(name), "%s: %s", name, tc.reason)
				}
			})
		})
	}
}

// If the next consumer refuses a batch, none of its call spans are held, and its sender tries again.
func TestSpansOfCallsOfARefusedBatchAreNotHeld(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		refusal := errors.New("not now")
		r.sink.refuse(refusal)
		batch := []span{plain("web", "run", 2, 9), tool("call", "web", 3, 4, "search"), agent("run", "", 1, 10)}
		require.ErrorIs(t, r.send(batch...), refusal)
		require.Zero(t, r.total("spans_held"))
		r.sink.refuse(nil)
		require.NoError(t, r.send(batch...))
		r.after(11*time.Second, 3)
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("call"))
	})
}

// manyCalls returns a run whose spans need more than one request.
func manyCalls() (spans []span) {
	for i := range releasebatch.MaxSpans + 100 {
		spans = append(spans, tool("c"+strconv.Itoa(i), "run", 2+i, 3+i, "search"))
	}
	return append(spans, agent("run", "", 1, 2000))
}

func TestSpansOfManyCalls(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		spans := manyCalls()
		require.NoError(t, r.send(spans...))
		r.after(time.Minute, len(spans))
		require.Equal(t, 2, r.sink.requests)
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("c0"))
		require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("c600"))
	})
}

// refuseAfterOne has the next consumer accept one more request and refuse all behind it. The context ends with the first
// refusal, so that the batch is not tried again.
func (s *crashPlay) refuseAfterOne(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	before := len(s.out)
	next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		if len(s.out) > before {
			cancel()
			return errNotNow
		}
		return s.consume(ctx, td)
	})
	require.NoError(t, err)
	s.next = next
	return ctx
}

// The process ends between the two requests of a run. All spans are released once, with their verdicts. Another run, which
// was completely in the first request, is done.
func TestACrashBetweenTheRequestsOfARun(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	spans := append(manyCalls(), agent("small", "", 0, 1), tool("own", "small", 0, 1, "search"))
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
	ctx := s.refuseAfterOne(t)
	s.elapse(ctx, time.Minute)
	require.Len(t, s.out, releasebatch.MaxSpans, "of the first request")

	s.begin(shardCount)
	s.elapse(t.Context(), time.Minute)
	s.end()
	require.Zero(t, s.total("records_set_aside"))
	require.Len(t, s.out, len(spans))
	require.Len(t, s.out[spanID("small")], 1)
	require.Equal(t, "matched", s.out[spanID("own")][0]["tool_correctness.call.verdict"])
	for i := range releasebatch.MaxSpans + 100 {
		for _, attributes := range s.out[spanID("c"+strconv.Itoa(i))] {
			want := "unexpected"
			if i == 0 {
				want = "matched"
			}
			require.Equal(t, want, attributes["tool_correctness.call.verdict"], "call %d", i)
		}
	}
	for id, copies := range s.out {
		require.Len(t, copies, 1, "span %v", id)
	}
}

// A shutdown ends between the two requests of a run. Accepted spans are not resumed, and no span is released twice.
func TestAShutdownBetweenTheRequestsOfARun(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	spans := manyCalls()
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
	ctx := s.refuseAfterOne(t)
	require.NoError(t, s.Shutdown(ctx))
	require.Equal(t, releasebatch.MaxSpans, s.total("spans_released"))
	require.Equal(t, len(spans)-releasebatch.MaxSpans, s.total("spans_suspended"))
	s.begin(shardCount)
	require.Equal(t, len(spans)-releasebatch.MaxSpans, s.total("spans_resumed"))
	s.elapse(t.Context(), time.Minute)
	s.end()
	require.Len(t, s.out, len(spans))
	for id, copies := range s.out {
		require.Len(t, copies, 1, "span %v", id)
	}
}

// A held span of a call is restored after younger evidence. Its trace does not become older, and still waits for the run's
// own span.
func TestASpanOfACallDoesNotMakeItsTraceOld(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	s.clock.advance(-51 * time.Second) // so that the next process begins a second later
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(tool("c", "run", 2, 3, "search"))))
	s.elapse(t.Context(), 50*time.Second)
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(plain("web", "run", 4, 50))))
	s.begin(shardCount)
	s.elapse(t.Context(), 20*time.Second) // the idle timeout is a minute
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(agent("run", "", 1, 70))))
	s.elapse(t.Context(), 11*time.Second)
	require.Equal(t, "anchor", s.out[spanID("run")][0]["tool_correctness.closed_by"])
	require.Equal(t, "matched", s.out[spanID("c")][0]["tool_correctness.call.verdict"])
	s.end()
}

// A call's span that could have been the run's anchor, and is not, has the verdict of the call.
func TestACallWithoutAParent(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"agents": func(*Settings) {},
		"traces": func(s *Settings) { s.Run.WholeTrace = true },
	} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) { s.AnnotateCalls = true; change(s) }, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(agent("root", "", 0, 20), tool("c", "", 2, 3, "search"), tool("d", "root", 4, 5, "lookup")))
				require.NoError(t, r.send(tool("e", "", 2, 3, "search").in(2))) // and where its trace has no agent yet
				require.NoError(t, r.send(agent("other", "", 0, 20).in(2)))
				r.after(time.Minute, 5)
				require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("c"))
				require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("d"))
				require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("e"))
			})
		})
	}
}

// Attributes of an earlier processor on a call's span are removed, even if this one writes none.
func TestAnEarlierVerdictOfACallIsRemoved(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.AnnotateCalls, s.IgnoreFailed = true, true }, func(t *testing.T, r *rig) {
		failed := tool("c", "a", 2, 3, "search").with("error.type", "timeout").
			with("tool_correctness.call.verdict", "matched").with("tool_correctness.call.credit", 1.0)
		require.NoError(t, r.send(agent("a", "", 1, 9), failed, tool("d", "a", 4, 7, "search")))
		r.after(time.Minute, 3)
		require.Empty(t, r.callAttributes("c"))
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("d"))
	})
}

// A sender that repeats one batch gets at most as many spans held as the limit of calls.
func TestRepeatedSpansOfCallsAreBounded(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.AnnotateCalls = true; s.Run.MaxCalls = 10 }, func(t *testing.T, r *rig) {
		for range 50 {
			require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		}
		require.EqualValues(t, 10, r.waiting.Load())
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.after(time.Minute, 51)
	})
}

// The process ends between the two requests of a conversation. Its parts get no verdicts of their own, and the whole gets the
// same verdict as without the crash.
func TestACrashBetweenTheRequestsOfAConversation(t *testing.T) {
	verdicts := func(crash bool) map[pcommon.SpanID]any {
		s := newCrashPlay(t, func(s *Settings, _ *sink) {
			s.Run.Conversations = true
			s.ConversationAttributes = []string{"session.id"}
		}, newMemoryStorage())
		var spans []span
		for i := range releasebatch.MaxSpans + 88 {
			name := strconv.Itoa(i)
			spans = append(spans, agent("a"+name, "", 10*i, 10*i+9).in(byte(i%200)).with("session.id", "s"),
				tool("t"+name, "a"+name, 10*i+1, 10*i+2, "search").in(byte(i%200)))
		}
		require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
		if crash {
			forwarded, next := len(s.out), s.next
			ctx := s.refuseAfterOne(t)
			for range 4 {
				s.elapse(ctx, time.Minute)
			}
			require.Len(t, s.out, forwarded+releasebatch.MaxSpans, "of the first request")
			s.next = next
			s.begin(shardCount)
		}
		for range 4 {
			s.elapse(t.Context(), time.Minute)
		}
		s.end()
		require.Len(t, s.out, len(spans))
		judged := make(map[pcommon.SpanID]any)
		for id, copies := range s.out {
			for _, attributes := range copies {
				if reason, ok := attributes["tool_correctness.reason"]; ok {
					judged[id] = reason
				}
			}
		}
		return judged
	}
	undisturbed := verdicts(false)
	require.Len(t, undisturbed, 1)
	require.Equal(t, undisturbed, verdicts(true))
}

// Calls without a span id are different calls.
func TestCallsWithoutIDs(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("", "", 2, 3, "search")))
		require.NoError(t, r.send(tool("", "", 4, 5, "lookup")))
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.after(time.Minute, 3)
		require.Empty(t, r.callAttributes(""))
	})
}

// A copy of a call's span that represented a run leaves at once, though its trace is open again.
func TestACopyOfAnAnchorLeavesAtOnce(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "", 2, 3, "search")))
		r.after(time.Minute, 1)
		require.NoError(t, r.send(agent("a", "", 20, 30)))
		require.NoError(t, r.send(tool("c", "", 2, 3, "search")))
		require.EqualValues(t, 1, r.waiting.Load(), "the agent's")
		r.after(10*time.Minute, 3)
	})
}
