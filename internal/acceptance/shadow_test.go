package acceptance

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/next/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/next/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/next/scan"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// shadowPlay plays requests through the pure engine, as a dry run does.
func shadowPlay(requests []ptrace.Traces, o runs.Options) []runs.Run {
	parents := new(lookup.ParentCache)
	set := &open.Settings{Options: o, Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, Replay: true, PastTraces: 1000, PastBytes: 1 << 20,
		Links: func(l []evidence.Link, k evidence.Key) []evidence.Link { return parents.AppendTo(l, lookup.KeyOf(k)) }}
	logs := open.New(set)
	now := time.Unix(2e9, 0)
	var closed runs.Closed
	sc := &scan.Settings{Options: o, MaxPayload: 1 << 20, ConversationAttributes: []string{"gen_ai.conversation.id", "session.id", "langfuse.session.id"}}
	for _, r := range requests {
		td := ptrace.NewTraces()
		r.CopyTo(td)
		b := scan.NewBatch()
		b.Read(sc, td)
		parents.Add(&b.Parents)
		logs.AddSteps(now, b.Steps)
		rest := b.Facts
		for _, g := range b.Groups {
			logs.Append(now, g.Key, rest[:g.N])
			rest = rest[g.N:]
		}
		links := b.Parents.Links
		for _, t := range b.Parents.Traces {
			logs.AppendLinks(now, t.Key, links[:t.N])
			links = links[t.N:]
		}
		var wanted []heldspans.Candidate
		for _, c := range b.Candidates {
			s := evidence.SpanOf(c.In(td), c.Process)
			if logs.ShouldHold(evidence.Key{Trace: s.Trace, Partition: c.Partition}, &s, c.Kind) {
				wanted = append(wanted, c)
			}
		}
		var taken heldspans.Taken
		taken.Take(td, wanted, 1<<40)
		for _, h := range taken.Held {
			if ok, late := logs.Hold(now, h); !ok && late != nil {
				closed.Runs = append(closed.Runs, *late)
			}
		}
	}
	tick := func(d time.Duration) {
		now = now.Add(d)
		for {
			x, ok := logs.Take(now)
			if !ok {
				break
			}
			c := runs.Runs(&x.Log, &o, &x.Examination)
			logs.Return(now, x)
			logs.Summarize(now, c.Runs)
			closed.Add(c)
		}
	}
	tick(5 * time.Second)
	tick(2 * time.Minute)
	tick(2 * time.Minute)
	return closed.Runs
}

// foundOf returns runs as those of the processor are compared.
func foundOf(t *testing.T, all []runs.Run) (found []run) {
	for _, r := range all {
		one := run{}
		if len(r.Anchors) > 0 {
			one.agent = r.Anchors[0].Agent
		}
		one.sub = one.agent == subAgent
		for _, c := range r.Calls {
			one.calls = append(one.calls, call{name: c.Name, arguments: content(t, c.Arguments.AppendJSON(nil)), failed: c.Status == scoring.StatusFailed})
		}
		found = append(found, one)
	}
	return found
}

// The runs that the pure engine finds are those of the processor, in every recording and whatever the order in which spans arrive.
func TestRunsOfFactsAreThoseOfTheProcessor(t *testing.T) {
	o := runs.Options{KeepArguments: true, KeepOutput: true, MaxCalls: 10000}
	for _, library := range someLibraries(t) {
		for _, scenario := range library.Scenarios {
			t.Run(library.Name+"/"+scenario.Name, func(t *testing.T) {
				want := lines(runsOf(t, scenario.Requests), nil)
				require.Equal(t, want, lines(foundOf(t, shadowPlay(scenario.Requests, o)), nil))
				for seed := range uint64(3) {
					require.Equal(t, want, lines(foundOf(t, shadowPlay(shuffled(scenario.Requests, seed), o)), nil), "order %d", seed)
				}
			})
		}
	}
}
