package processor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
)

// moody is a consumer that permanently refuses long requests and requests with poison. It refuses others temporarily at
// random, and sometimes accepts only a part and reports it.
type moody struct {
	*sink
	most int

	deciding sync.Mutex // guards all below: senders and the processor's own goroutine call at the same time
	random   *rand.Rand
	failed   map[pcommon.SpanID]bool // refused for good when they were alone
}

func (m *moody) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	m.deciding.Lock()
	defer m.deciding.Unlock()
	var poison error
	if new(ptrace.ProtoMarshaler).TracesSize(td) > m.most {
		poison = errTooLarge
	}
	judged := false
	for span := range spansOf(td) {
		if isPoison(span) {
			poison = consumererror.NewPermanent(errors.New("poison"))
		}
		_, is := span.Attributes().Get(attributes.Complete)
		judged = judged || is
	}
	switch {
	case !judged: // it is forwarded, and its sender gets the error
		return m.sink.ConsumeTraces(ctx, td)
	case poison != nil:
		if td.SpanCount() == 1 {
			for span := range spansOf(td) {
				m.failed[span.SpanID()] = true
			}
		}
		return poison
	case m.random.IntN(3) == 0:
		return errNotNow
	case td.SpanCount() > 1 && m.random.IntN(3) == 0:
		return m.part(ctx, td)
	}
	return m.sink.ConsumeTraces(ctx, td)
}

// part accepts some of the spans.
func (m *moody) part(ctx context.Context, td ptrace.Traces) error {
	taken, left := ptrace.NewTraces(), ptrace.NewTraces()
	for span := range spansOf(td) {
		to := []ptrace.Traces{taken, left}[m.random.IntN(2)]
		span.CopyTo(to.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	if err := m.sink.ConsumeTraces(ctx, taken); err != nil {
		return err
	}
	if left.SpanCount() == 0 {
		return nil
	}
	return consumererror.NewTraces(errNotNow, left)
}

// FuzzRefusals has the next consumer refuse spans for good, for now, and in part. Every accepted span is released exactly
// once or counted as failed. Only a span that is permanently refused alone fails, and the storage is empty in the end.
func FuzzRefusals(f *testing.F) {
	for seed := range uint64(20 / shortly()) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		v := newMemoryStorage()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = seed&1 != 0
				s.Run.Conversations = seed&4 != 0
				sink.mutates = seed&8 != 0
				if seed&2 != 0 {
					s.Storage = &memoryStorageID
				}
			})
			next := &moody{
				sink: r.sink, most: 1000 + random.IntN(10_000),
				random: rand.New(rand.NewPCG(seed, 1)), failed: map[pcommon.SpanID]bool{},
			}
			r.next = next
			require.NoError(t, r.Start(t.Context(), v))
			for _, batch := range batched(random, randomSpans(random, 60)) {
				td := traces(batch...)
				td.ResourceSpans().At(0).Resource().Attributes().PutStr("x", strings.Repeat("x", int(seed&16)*100))
				for span := range spansOf(td) {
					if random.IntN(10) == 0 {
						span.SetName("poison")
					}
					span.Attributes().PutStr("x", strings.Repeat("x", random.IntN(2000)))
				}
				r.sent += td.SpanCount()
				require.NoError(t, r.ConsumeTraces(t.Context(), td))
				time.Sleep(time.Duration(random.IntN(60)) * time.Second)
			}
			time.Sleep(15 * time.Minute)
			require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
			require.Len(t, r.sink.spans, r.sink.count, "spans that came out twice")
			require.Len(t, next.failed, r.total("spans_failed"), "spans that were refused alone")
			r.conserved()
			require.Empty(t, v.records(), "left in the storage")
		})
	})
}
