package processor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// FuzzCrash plays the same spans twice: first undisturbed and without a storage, then with one and with crashes. The second
// play has another order, other batches, and some spans twice. Its next consumer and its storage
// refuse some writes. Every span is released, and all of its copies are as in the undisturbed play, verdicts included.
func FuzzCrash(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, spans, order uint64) {
		change := func(s *Settings, _ *sink) {
			s.Limits.Bytes = 1 << 24 // no closed run is forgotten
			s.Run.Conversations = spans%3 == 1
			s.Run.Include = spans%3 == 2
			s.AnnotateCalls = spans&4 != 0
			s.Run.Sources = runs.Sources(spans % 4 % 3)
			s.Run.KeepArguments, s.Run.KeepOutput = spans%2 == 0, spans%2 == 0
		}
		random := rand.New(rand.NewPCG(spans, 0))
		rounds := make([][]span, 1+random.IntN(3))
		for i := range rounds {
			rounds[i] = roundOf(random, byte(3*i))
		}
		resource := strings.Repeat("x", int(spans%2)*2000) // spans that share a long one have it stored once
		calm := newCrashPlay(t, change, nil)
		calm.resource = resource
		for _, round := range rounds {
			calm.play(rand.New(rand.NewPCG(order, 1)), round, 0)
		}
		rough := newCrashPlay(t, change, newMemoryStorage())
		rough.resource = resource
		for _, round := range rounds {
			rough.play(rand.New(rand.NewPCG(order, 2)), round, 5)
		}
		calm.end()
		rough.end()
		require.Len(t, rough.out, len(calm.out), "spans that came out")
		for id, copies := range rough.out {
			for _, got := range copies {
				require.Equal(t, calm.out[id][0], got, "the span %q", id)
			}
		}
	})
}

// roundOf returns spans of three traces, each with an agent (see FuzzArrival), and a late call of the round before.
func roundOf(random *rand.Rand, first byte) []span {
	all := randomSpans(random, 40)
	for i := range all {
		all[i].trace += first
		all[i].id += "." + strconv.Itoa(int(first))
	}
	for trace := first; trace < first+3; trace++ {
		all = append(all, agent("agent"+strconv.Itoa(int(trace)), "", 1, 30).in(trace))
	}
	if first > 0 {
		all = append(all, tool("late"+strconv.Itoa(int(first)), "agent"+strconv.Itoa(int(first-1)), 5, 6, "search").in(first-1))
	}
	return all
}

// crashPlay plays spans to one processor after the other.
type crashPlay struct {
	t       *testing.T
	change  func(*Settings, *sink)
	storage *memoryStorage
	*rig
	out     map[pcommon.SpanID][]map[string]any
	refusal error
	// resource is an attribute of the resource of all spans.
	resource string
}

func newCrashPlay(t *testing.T, change func(*Settings, *sink), v *memoryStorage) *crashPlay {
	s := &crashPlay{t: t, change: change, storage: v, out: map[pcommon.SpanID][]map[string]any{}}
	s.begin()
	return s
}

func (s *crashPlay) begin() {
	s.rig = newRig(s.t, func(set *Settings, sink *sink) {
		s.change(set, sink)
		if s.storage != nil {
			set.Storage = &memoryStorageID
		}
	})
	next, err := consumer.NewTraces(s.consume)
	require.NoError(s.t, err)
	s.next = next
	s.clock.stop()
	if s.storage != nil {
		s.host = s.storage
		require.NoError(s.t, s.openJournal(s.t.Context(), s.storage))
		require.NoError(s.t, s.resume(s.t.Context()))
	}
}

func (s *crashPlay) consume(_ context.Context, td ptrace.Traces) error {
	if s.refusal != nil {
		return s.refusal
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s.out[span.SpanID()] = append(s.out[span.SpanID()], span.Attributes().AsRaw())
			}
		}
	}
	return nil
}

var errNotNow = errors.New("not now")

// play sends the spans in an order of its own until all are accepted, and then waits until all runs close. In a hundred
// steps, trouble times ten have a fault.
func (s *crashPlay) play(random *rand.Rand, spans []span, trouble int) {
	shuffled := append([]span{}, spans...)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, batch := range batched(random, shuffled) {
		for s.step(random, batch, trouble) != nil || trouble > 0 && random.IntN(5) == 0 {
			continue // again, or twice
		}
	}
	for range 4 { // runs close, their conversations end
		if s.wrong(random, trouble) {
			s.trip(random, func(ctx context.Context) { s.elapse(ctx, 2*time.Minute) })
		}
		s.elapse(s.t.Context(), 2*time.Minute)
	}
	for range 4 { // and again, because a process that begins waits for all of them
		s.elapse(s.t.Context(), 2*time.Minute)
	}
}

func (s *crashPlay) wrong(random *rand.Rand, trouble int) bool { return random.IntN(10) < trouble }

// step sends a batch.
func (s *crashPlay) step(random *rand.Rand, batch []span, trouble int) (err error) {
	send := func(ctx context.Context) {
		td := traces(batch...)
		if s.resource != "" {
			td.ResourceSpans().At(0).Resource().Attributes().PutStr("x", s.resource)
		}
		err = s.ConsumeTraces(ctx, td)
	}
	if s.wrong(random, trouble) {
		s.trip(random, send)
	} else {
		send(s.t.Context())
	}
	return err
}

// trip causes a fault while f runs. After it, the process may be gone.
func (s *crashPlay) trip(random *rand.Rand, f func(context.Context)) {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	switch random.IntN(4) {
	case 0:
		cancel() // no batch waits for the next consumer
		s.refusal = errNotNow
	case 1:
		s.storage.ask(noWrites)
	case 2:
		s.storage.ask(removalsOnly)
	}
	f(ctx)
	s.refusal = nil
	s.storage.ask(nil)
	switch random.IntN(6) { // with a storage, a process that is shut down leaves what one that is killed leaves
	case 0:
		if s.storage != nil {
			require.NoError(s.t, s.Shutdown(s.t.Context()))
		}
		fallthrough
	case 1:
		s.begin()
	}
}

// elapse lets time go by.
func (s *crashPlay) elapse(ctx context.Context, d time.Duration) {
	s.clock.advance(d)
	s.tick(ctx, ctx)
}

// end closes the remaining runs. A storage then has none.
func (s *crashPlay) end() {
	require.NoError(s.t, s.Shutdown(s.t.Context()))
	require.Zero(s.t, s.openRuns()+s.undelivered.Load()+s.origins.Load())
	if s.storage == nil {
		return
	}
	require.Empty(s.t, s.storage.records(), "left in the storage")
}
