package releasebatch_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// originOf returns the only origin of a resource and a scope of that many bytes on the wire.
func originOf(resource, scope uint32) *evidence.Origin {
	o := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	o.First, o.OfResource.Wire, o.OfScope.Wire = o, resource, scope
	return o
}

// held returns a held span of each name, all of one resource, each with a record of its own.
func held(kind evidence.HeldKind, names string) []evidence.Held {
	o := originOf(0, 0)
	all := make([]evidence.Held, len(names))
	for i := range names {
		span := ptrace.NewSpan()
		span.SetName(names[i : i+1])
		all[i] = evidence.Held{Kind: kind, Origin: o, Held: span, Wire: 100, Record: uint32(names[i]), Checkpoint: new(agentrun.Checkpoint)}
	}
	return all
}

// long makes spans so long that a batch has room for two of them.
func long(all []evidence.Held) []evidence.Held {
	for i := range all {
		all[i].Wire = releasebatch.MaxBytes*2/5 + 100
	}
	return all
}

// build returns all batches.
func build(k *releasebatch.Builder) (all []*releasebatch.Batch) {
	for k.Len() > 0 {
		all = append(all, k.Build()...)
	}
	return all
}

// names are those of the spans of batches, with a bar between two batches.
func names(batches []*releasebatch.Batch) string {
	var parts []string
	for _, c := range batches {
		var b strings.Builder
		for _, rs := range c.Traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					b.WriteString(span.Name())
				}
			}
		}
		parts = append(parts, b.String())
	}
	return strings.Join(parts, "|")
}

// records are the stored records that each batch makes obsolete.
func records(batches []*releasebatch.Batch) string {
	parts := make([]string, len(batches))
	for i, c := range batches {
		for _, r := range c.Records {
			parts[i] += string(rune(r))
		}
	}
	return strings.Join(parts, "|")
}

func TestARunLeavesWithItsOwnSpanLast(t *testing.T) {
	run := func(own []evidence.Held, others ...[]evidence.Held) (r agentrun.Run) {
		r.Anchors = own
		for _, more := range others {
			r.Companions = append(r.Companions, more...)
		}
		return r
	}
	const agent, call = agentrun.Agent, evidence.Tool
	for _, tc := range []struct {
		name    string
		runs    []agentrun.Run
		spans   string
		records string
		judged  int
		reason  string
	}{
		{"calls and parts", []agentrun.Run{run(held(agent, "a"), held(call, "t"), held(agent, "p"))}, "tpa", "tap", 2,
			"a start after a crash needs the own span while other spans may not have left"},
		{"a full batch", []agentrun.Run{run(held(agent, "a"), held(agent, "p"), long(held(call, "tuv")))}, "ptu|va", "tu|vap", 2,
			"the record of a part goes with the own span, though the part left before"},
		{"two runs", []agentrun.Run{run(held(agent, "a"), held(call, "t")), run(held(agent, "b"), held(agent, "p"))}, "tpab", "tabp", 3,
			"all other spans leave before any run's own"},
		{"copies", []agentrun.Run{run(long(held(agent, "abc")))}, "ab|c", "ab|c", 3, "a copy leaves with what was written on it"},
		{"too many copies", []agentrun.Run{run(held(agent, "abcdefghijklmnopqr"))}, "abcdefghijklmnopqr", "abcdefghijklmnopqr",
			evidence.MaxCopies, "more copies leave without a verdict"},
		{"no own span", []agentrun.Run{run(nil, held(agent, "pq"))}, "pq", "pq", 2, "no later span has the records"},
		{"no own span, a full batch", []agentrun.Run{run(nil, long(held(agent, "pqr")))}, "pq|r", "|pqr", 3,
			"the records of all parts end with the last one"},
		{"nothing held", []agentrun.Run{run(nil)}, "", "", 0, "a run without spans makes no batch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var k releasebatch.Builder
			for i := range tc.runs {
				k.Take(&tc.runs[i])
			}
			batches := build(&k)
			require.Equal(t, tc.spans, names(batches), tc.reason)
			require.Equal(t, tc.records, records(batches), tc.reason)
			judged := 0
			for _, c := range batches {
				judged += len(c.Judged)
			}
			require.Equal(t, tc.judged, judged, "parts and copies of judged runs are remembered")
			require.Zero(t, k.Size())
		})
	}
}

func TestARunThatIsPassedKeepsItsRecordsWithItsSpans(t *testing.T) {
	run := agentrun.Run{Anchors: held(agentrun.Agent, "a"), Companions: append(held(evidence.Tool, "t"), held(agentrun.Agent, "p")...)}
	var k releasebatch.Builder
	require.Equal(t, 3, k.PassRun(&run))
	batches := build(&k)
	require.Equal(t, "tpa", names(batches))
	require.Equal(t, "tpa", records(batches), "without a verdict no record waits for another span")
}

// A run's checkpoints are acknowledged with its own span.
func TestCheckpointsGoWithTheOwnSpan(t *testing.T) {
	run := agentrun.Run{Anchors: long(held(agentrun.Agent, "a")), Companions: long(held(evidence.Tool, "tu")), Checkpoints: []*agentrun.Checkpoint{{}}}
	own, call := run.Anchors[0].Checkpoint, run.Companions[0].Checkpoint
	var k releasebatch.Builder
	k.Take(&run)
	batches := build(&k)
	require.Equal(t, "tu|a", names(batches))
	require.Equal(t, []*agentrun.Checkpoint{own, run.Checkpoints[0]}, batches[1].Checkpoints)
	require.Contains(t, batches[0].Checkpoints, call)
}

// What a builder was given leaves in parts, so that not all of it is in memory twice.
func TestABuilderBuildsInParts(t *testing.T) {
	var k releasebatch.Builder
	names := strings.Repeat("x", 100)
	spans := held(agentrun.Agent, names)
	for i := range spans {
		spans[i].Size = 1 << 17
		require.False(t, i < 64 && k.Full(), "%d spans", i)
		k.Take(&agentrun.Run{Anchors: spans[i : i+1]})
	}
	require.True(t, k.Full(), "12.5 MiB were taken")
	require.Len(t, k.Build(), 1, "a batch has room for all of them")
	require.Zero(t, k.Len())

	spans = held(agentrun.Agent, names)
	for i := range spans {
		spans[i].Origin = originOf(releasebatch.MaxBytes, 0)
		spans[i].Origin.OfResource.Heap = 1 << 20
		k.Take(&agentrun.Run{Anchors: spans[i : i+1]})
	}
	require.Len(t, k.Build(), 9, "resources count: no batch is built beyond 8 MiB, and one may still be open")
	require.Equal(t, 91, k.Len())
	require.Len(t, build(&k), 91)
}
