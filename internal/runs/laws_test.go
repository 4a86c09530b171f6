package runs_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// choices draws from the bytes of a fuzz input. When they are used up, it always draws the first choice.
type choices []byte

func (c *choices) below(n int) int {
	if len(*c) == 0 {
		return 0
	}
	drawn := int((*c)[0]) % n
	*c = (*c)[1:]
	return drawn
}

func (c *choices) of(all ...string) string { return all[c.below(len(all))] }

// oneIn is true for one of n choices, and not for the first.
func (c *choices) oneIn(n int) bool { return c.below(n) == n-1 }

// text draws a log of few names, IDs and times, so that many spans have some in common.
func (c *choices) text() string {
	var b strings.Builder
	for i := range 2 + c.below(14) {
		if c.oneIn(8) {
			fmt.Fprintln(&b, "trace", c.of("a", "b"))
		}
		start := c.below(12)
		kind := c.of("tool", "agent", "model", "tool", "span", "mcp", "server", "root", "workflow", "group", "step", "chat")
		fmt.Fprintf(&b, "%s%s%s %s [%d-%d]", strings.Repeat(" ", c.below(4)), c.of("", "", "", "- "), kind, c.name(kind), start, start+c.below(12))
		fmt.Fprint(&b, c.of(" by:crew", " by:models", " by:mcp"), c.of(" from:desk", " from:shop"), c.of("", "", "", " conversation:talk", " unheld"))
		if !c.oneIn(8) {
			fmt.Fprintf(&b, " id:%d", i)
		}
		switch kind {
		case "agent":
			fmt.Fprint(&b, c.of("", "", "", " part:", " part:p1"))
		case "tool", "mcp", "server":
			fmt.Fprint(&b, c.of("", "", " of:writer"), c.of("", " ok", " failed"), c.of("", "", "", " result", " unnamed", " normalized", " held"))
		case "group":
			for range 1 + c.below(2) {
				fmt.Fprint(&b, " share:", c.of("planner", "writer"), " asks:", c.call(), c.of("", " next asks:"+c.call()))
			}
			fmt.Fprint(&b, c.of("", "", " unread"))
		case "model":
			for range c.below(3) {
				fmt.Fprint(&b, c.of(" asks:", " asks:", " hosts:", " answers:"), c.call())
			}
			for range c.below(3) {
				fmt.Fprint(&b, c.of(" shows:#", " fails:#"), c.id(), c.of("", "->found", "->lost"))
			}
			fmt.Fprint(&b, c.of("", "", " invents:"+c.call()), c.of("", "", " refused:"+c.id(), " made:"+c.id()))
			fmt.Fprint(&b, c.of("", " messages"), c.of("", " begins"), c.of("", " offered"), c.of("", "", "", " unread"))
		}
		fmt.Fprintln(&b, " at:"+c.of("0", "5", "9"))
	}
	return b.String()
}

func (c *choices) name(kind string) string {
	switch kind {
	case "agent", "step":
		return c.of("planner", "writer")
	case "tool", "mcp", "server":
		return c.call()
	}
	return ""
}

func (c *choices) id() string { return c.of("call_search", "call_draft", "call_0") }

func (c *choices) call() string {
	call := c.of("search", "draft", "docs_search")
	if c.oneIn(2) {
		call += "#" + c.id()
	}
	return call + c.of("", `{"q":1}`, `{"q":2}`, `{"q":"{}"}`, `{}`) + c.of("", "->found", "->lost")
}

// setting draws how a log is examined at the end.
func (c *choices) setting() *setting {
	s := closeAll()
	s.Sources = runs.Sources(c.below(3)) //nolint:gosec // in range
	s.Include, s.Conversations, s.WholeTrace = c.oneIn(3), c.oneIn(3), c.oneIn(6)
	return s
}

func addChoices(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(drawn(seed), seed)
	}
}

// drawn are the bytes of a seed.
func drawn(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, 400)
	for i := range b {
		b[i] = byte(r.Uint32()) //nolint:gosec // any byte
	}
	return b
}

// closed makes runs of a log, and says what became of them and what is left.
func (s *setting) closed(log *evidence.Log) string {
	closed := runs.Runs(log, &s.Options, &s.Examination)
	return runstest.Text(&closed) + "left: " + left(log)
}

func shuffle(log *evidence.Log, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range log.Traces {
		t := &log.Traces[i]
		r.Shuffle(len(t.Facts), func(a, b int) { t.Facts[a], t.Facts[b] = t.Facts[b], t.Facts[a] })
		r.Shuffle(len(t.Links), func(a, b int) { t.Links[a], t.Links[b] = t.Links[b], t.Links[a] })
		r.Shuffle(len(t.Held), func(a, b int) { t.Held[a], t.Held[b] = t.Held[b], t.Held[a] })
	}
}

// The order in which facts arrived means nothing, facts that arrived twice say nothing new, and a log that was stored is the same.
func FuzzTheSameFactsGiveTheSameRuns(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		c := choices(data)
		s, text := c.setting(), c.text()
		want := s.closed(runstest.Log(t, text))

		log := runstest.Log(t, text)
		shuffle(log, seed)
		require.Equal(t, want, s.closed(log), "in another order\n%s", text)

		log = runstest.Log(t, text)
		for i := range log.Traces {
			in := &log.Traces[i]
			in.Facts, in.Links = append(in.Facts, in.Facts...), append(in.Links, in.Links...)
		}
		shuffle(log, seed)
		require.Equal(t, want, s.closed(log), "twice\n%s", text)

		log = runstest.Log(t, text)
		for i := range log.Traces {
			b, err := log.Traces[i].AppendBinary(nil)
			require.NoError(t, err)
			log.Traces[i], err = evidence.DecodeTrace(b)
			require.NoError(t, err)
		}
		require.Equal(t, want, s.closed(log), "stored\n%s", text)
	})
}

// An examination that closes nothing changes nothing.
func FuzzAnExaminationBetweenChangesNothing(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		c := choices(data)
		s, text := c.setting(), c.text()
		want := s.closed(runstest.Log(t, text))

		log, parts := new(evidence.Log), runstest.Log(t, text)
		shuffle(parts, seed)
		for i := range parts.Traces { // in the same order
			log.Traces = append(log.Traces, evidence.Trace{Key: parts.Traces[i].Key})
		}
		early := *s
		early.Final, early.Due = false, 0
		for n := range 3 {
			for i := range parts.Traces {
				from, to := &parts.Traces[i], &log.Traces[i]
				to.Facts = append(to.Facts, third(from.Facts, n)...)
				to.Links = append(to.Links, third(from.Links, n)...)
				to.Held = append(to.Held, third(from.Held, n)...)
			}
			hasNothing := func(t evidence.Trace) bool { return t.IsEmpty() } // then an examination ends the trace
			if n < 2 && !slices.ContainsFunc(log.Traces, hasNothing) {
				closed := runs.Runs(log, &early.Options, &early.Examination)
				require.Empty(t, runstest.Text(&closed), "nothing is due\n%s", text)
				require.Zero(t, closed.Duplicates, "nothing is due\n%s", text)
			}
		}
		require.Equal(t, want, s.closed(log), "%s", text)
	})
}

// third is a copy of one of the three parts of a list.
func third[T any](all []T, n int) []T {
	return slices.Clone(all[len(all)*n/3 : len(all)*(n+1)/3])
}

// Each held span leaves once, in a run or alone, or is left. Each call is in a run, is another record of a call, or is left.
func FuzzEverySpanIsAccountedFor(f *testing.F) {
	addChoices(f)
	f.Fuzz(func(t *testing.T, data []byte, _ uint64) {
		c := choices(data)
		s := c.setting()
		until := float64(c.below(10))
		text := c.text()
		log := runstest.Log(t, text)
		held, calls := accountOf(log)
		for _, x := range []*setting{closeUntil(until), closeAll()} {
			s.Examination = x.Examination
			closed := runs.Runs(log, &s.Options, &s.Examination)
			left, callsLeft := accountOf(log)
			require.ElementsMatch(t, held, append(slices.Clone(left), leftWith(&closed)...), "%s", text)
			// Requests that are calls are duplicates as well where another record has them, and have no span.
			if s.Sources != runs.Messages && !s.Include && !areCalls.MatchString(text) {
				require.Equal(t, calls, callsLeft+callsOf(&closed)+closed.Duplicates+len(closed.Late), "%s", text)
			}
			held, calls = left, callsLeft
		}
		require.Empty(t, held, "%s", text)
		require.Zero(t, calls, "%s", text)
	})
}

// areCalls is in texts with requests that may be calls by themselves.
var areCalls = regexp.MustCompile(` (messages|hosts:|answers:|made:)`)

// accountOf says which held spans and how many calls a log has that count for no run yet.
func accountOf(log *evidence.Log) (held []string, calls int) {
	for i := range log.Traces {
		in := &log.Traces[i]
		in.Facts, _ = evidence.Settle(in.Facts)
		for k := range in.Held {
			held = append(held, nameOf(&in.Held[k]))
		}
		for k := range in.Facts {
			if in.Facts[k].Call != nil && !in.Facts[k].Judged {
				calls++
			}
		}
	}
	return held, calls
}

func nameOf(h *evidence.Held) string { return fmt.Sprintf("%s %x", h.Data.Name(), h.ID) }

// leftWith says which held spans left.
func leftWith(closed *runs.Closed) (held []string) {
	all := slices.Clone(closed.Passthrough)
	for i := range closed.Runs {
		all = append(append(all, closed.Runs[i].Anchors...), closed.Runs[i].Companions...)
	}
	for i := range all {
		held = append(held, nameOf(&all[i]))
	}
	return held
}

// callsOf is how many calls of runs have a span, and are no other run's.
func callsOf(closed *runs.Closed) (n int) {
	for i := range closed.Runs {
		for k := range closed.Runs[i].Calls {
			if closed.Runs[i].Calls[k].Source == runs.Own {
				n++
			}
		}
	}
	return n
}

// Whatever is stored, it can be examined, and no held span is lost.
func FuzzAnyStoredTraceCanBeExamined(f *testing.F) {
	for seed := range uint64(50) {
		b := drawn(seed)
		c := choices(b)
		for _, trace := range runstest.Log(f, c.text()).Traces {
			stored, err := trace.AppendBinary(nil)
			require.NoError(f, err)
			f.Add(stored, b[:8])
		}
	}
	f.Fuzz(func(t *testing.T, stored, data []byte) {
		trace, err := evidence.DecodeTrace(stored)
		if err != nil {
			return
		}
		c := choices(data)
		s := c.setting()
		log := &evidence.Log{Traces: []evidence.Trace{trace}}
		held, _ := accountOf(log)
		closed := runs.Runs(log, &s.Options, &s.Examination)
		require.ElementsMatch(t, held, leftWith(&closed))
	})
}
