package releasebatch_test

import (
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// held returns a held span of each name, all of one resource, each with a record of its own.
func held(kind agentrun.AnchorKind, names string) []agentrun.Anchor {
	o := &agentrun.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	o.First = o
	all := make([]agentrun.Anchor, len(names))
	for i := range names {
		span := ptrace.NewSpan()
		span.SetName(names[i : i+1])
		all[i] = agentrun.Anchor{Kind: kind, Origin: o, Held: span, Wire: 100, Record: uint32(names[i]), Checkpoint: new(agentrun.Checkpoint)}
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
	const much = releasebatch.MaxBytes - 1000 // that much written leaves room for few spans
	for _, tc := range []struct {
		name          string
		run           agentrun.Run
		onCall, onRun int
		spans         string
		records       string
		own, calls    int
		reason        string
	}{
		{name: "calls and parts", run: agentrun.Run{Anchors: held(agentrun.Agent, "a"), Companions: append(held(agentrun.Tool, "t"), held(agentrun.Agent, "p")...)},
			spans: "tpa", records: "tap", own: 1, calls: 1, reason: "a start after a crash needs the own span while other spans may not have left"},
		{name: "a full batch", run: agentrun.Run{Anchors: held(agentrun.Agent, "a"), Companions: append(held(agentrun.Agent, "p"), held(agentrun.Tool, "tu")...)}, onCall: much,
			spans: "pt|ua", records: "t|uap", own: 1, calls: 2, reason: "the record of a part goes with the own span, though the part left before"},
		{name: "copies", run: agentrun.Run{Anchors: held(agentrun.Agent, "abc")}, onRun: much,
			spans: "ab|c", records: "ab|c", own: 3, reason: "room is reserved on each copy but the first"},
		{name: "too many copies", run: agentrun.Run{Anchors: held(agentrun.Agent, "abcdefghijklmnopqr")},
			spans: "abcdefghijklmnopqr", records: "abcdefghijklmnopqr", own: agentrun.MaxAnchorCopies, reason: "more copies leave without a verdict"},
		{name: "no own span", run: agentrun.Run{Companions: held(agentrun.Agent, "p")}, spans: "p", records: "p", reason: "no later span has the record"},
		{name: "nothing held", run: agentrun.Run{}, reason: "a run without spans makes no batch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var k releasebatch.Builder
			k.PlaceRun(&tc.run, tc.onCall, tc.onRun)
			k.Close()
			if got := names(k.Batches); got != tc.spans {
				t.Errorf("batches %q, want %q: %s", got, tc.spans, tc.reason)
			}
			if got := records(k.Batches); got != tc.records {
				t.Errorf("records %q, want %q: %s", got, tc.records, tc.reason)
			}
			if len(k.Own) != tc.own || len(k.Calls) != tc.calls {
				t.Errorf("%d copies and %d calls are judged, want %d and %d: %s", len(k.Own), len(k.Calls), tc.own, tc.calls, tc.reason)
			}
		})
	}
}

func TestARunThatIsPassedKeepsItsRecordsWithItsSpans(t *testing.T) {
	run := agentrun.Run{Anchors: held(agentrun.Agent, "a"), Companions: append(held(agentrun.Tool, "t"), held(agentrun.Agent, "p")...)}
	var k releasebatch.Builder
	if n := k.PassRun(&run); n != 3 {
		t.Errorf("%d spans, want 3", n)
	}
	k.Close()
	if spans, stored := names(k.Batches), records(k.Batches); spans != "tpa" || stored != "tpa" {
		t.Errorf("spans %q and records %q, want tpa both: without a verdict no record waits for another span", spans, stored)
	}
	if len(k.Own) != 0 {
		t.Error("a run that is passed has no span for a verdict")
	}
}
