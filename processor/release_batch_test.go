package processor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// A release counts its size on the wire, with the attributes written on its spans: no less than it is, and not much more.
func TestAReleaseKnowsItsSize(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		r := newRig(t, func(s *Settings, _ *sink) {
			s.AnnotateCalls = seed%2 == 0
			more := s.Metrics[0]
			for i := range seed % 4 {
				more.Name = "another.metric" + strconv.Itoa(int(i))
				s.Metrics = append(s.Metrics, more)
			}
			s.Expectations[0].Metrics = s.Metrics
		})
		r.DryRun(func(evaluate.Report) {})
		requests := 0
		r.next = &picky{r.sink, func(td ptrace.Traces) error {
			if len(r.batches) > 0 {
				requests++
				size := new(ptrace.ProtoMarshaler).TracesSize(td)
				require.GreaterOrEqual(t, r.batches[0].Wire, size)
				require.LessOrEqual(t, r.batches[0].Wire, size*5/4+500*(1+len(r.set.Metrics))*td.SpanCount())
			}
			return nil
		}}
		for _, batch := range batched(random, randomSpans(random, 40)) {
			for i := range batch {
				batch[i] = batch[i].with("gen_ai.agent.name", strings.Repeat("\u202en", random.IntN(300)))
				if name, ok := batch[i].attributes["gen_ai.tool.name"]; ok {
					batch[i] = batch[i].with("gen_ai.tool.name", name.(string)+strings.Repeat("\x1b\xff", random.IntN(200)))
				}
			}
			require.NoError(t, r.send(batch...))
			r.Advance(t.Context(), time.Duration(random.IntN(60))*time.Second)
		}
		r.Advance(t.Context(), time.Hour)
		require.NoError(t, r.Shutdown(t.Context()))
		require.Positive(t, requests)
		r.conserved()
	}
}

// The attributes of verdicts may be much longer than the spans. So they are written only on the spans that are sent next.
func TestVerdictsTakeLittleMemoryBeforeTheyAreSent(t *testing.T) {
	r := newRig(t, func(s *Settings, _ *sink) {
		s.Limits = Limits{OpenRuns: 1 << 20, Bytes: 1 << 30}
		s.Run.Include, s.Run.MaxCalls = true, 5000
	})
	r.DryRun(func(evaluate.Report) {})
	var all []span
	for trace := range byte(80) {
		id := func(name string, i int) string { return fmt.Sprintf("%s%d-%d", name, i, trace) }
		for i := range 9 { // each around the next one, and all the calls count for each
			all = append(all, agent(id("a", i), id("a", i-1), i, 1000-i))
		}
		for i := range 120 {
			all = append(all, tool(id("c", i), id("a", 8), 100, 101, strconv.Itoa(i)+strings.Repeat("x", 250)))
		}
		for i := range all[len(all)-129:] {
			all[len(all)-129+i].trace = trace
		}
	}
	require.NoError(t, r.send(all...))
	var most int64
	r.next = &picky{r.sink, func(ptrace.Traces) error {
		var written int64
		for _, c := range r.batches {
			written += c.Size
		}
		most = max(most, written)
		return nil
	}}
	r.Advance(context.Background(), time.Hour)
	written := 0
	for _, s := range r.sink.spans {
		written += new(ptrace.ProtoMarshaler).SpanSize(s)
	}
	require.Greater(t, written, 20<<20, "bytes that came out")
	require.LessOrEqual(t, most, int64(10<<20), "bytes that were written and not sent")
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}
