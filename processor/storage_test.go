package processor

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal/journaltest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// recordsIn are the keys of the journal's records that are there, without those that only remember a closed trace.
func recordsIn(v *journaltest.Storage) (keys []string) {
	const header = 13 // of a journal's record
	for _, key := range v.Keys() {
		slot, err := strconv.ParseUint(key, 36, 24)
		if err != nil || journal.KeyOfSlot(slot) != key {
			continue
		}
		if b := v.Entries[key]; len(b) >= header {
			if trace, err := evidence.DecodeTrace(b[header:]); err == nil && trace.IsEmpty() {
				continue // nothing to judge
			}
		}
		keys = append(keys, key)
	}
	return keys
}

func stored(set *Settings, _ *sink) {
	set.Storage, set.ID = &journaltest.ID, component.MustNewID("tool_correctness")
}

// kill ends a processor like a crash.
func (r *rig) kill() {
	require.NoError(r.t, r.halt(context.Background()))
}

func TestStartFailsWithoutAStorageThatCanBeRead(t *testing.T) {
	start := func(h component.Host) error {
		r := newRig(t, stored)
		err := r.Start(t.Context(), h)
		require.NoError(t, r.Shutdown(t.Context()))
		require.NoError(t, r.telemetry.Shutdown(t.Context()))
		return err
	}
	require.ErrorContains(t, start(componenttest.NewNopHost()), `there is no extension "file_storage"`)
	v := journaltest.New()
	v.Ask(journaltest.None(storage.Get))
	require.ErrorIs(t, start(v), journaltest.ErrFull)
	assert.Zero(t, v.Open, "clients that are still open")
}

// storedMultiple bounds the stored bytes of a request, in multiples of its size on the wire: see docs/security.md.
const storedMultiple = 4

// For a request of any shape, at most storedMultiple times its size is stored, and nothing once its spans were accepted.
// Records of closed runs have another bound.
func TestNoShapeOfARequestHasMuchStoredOfIt(t *testing.T) {
	for _, s := range someShapes() {
		t.Run(s.name, func(t *testing.T) {
			td := fromWire(t, s.wire(t))
			wire := (&ptrace.ProtoMarshaler{}).TracesSize(td)
			v := journaltest.New()
			r := newRig(t, func(set *Settings, _ *sink) {
				stored(set, nil)
				set.Limits = Limits{OpenRuns: 1 << 30, Bytes: 1 << 40}
				if s.change != nil {
					s.change(set)
				}
			})
			r.clock.stop()
			r.host = v
			require.NoError(t, r.openJournal(t.Context()))
			require.NoError(t, r.ConsumeTraces(t.Context(), td))
			bytes := v.Size()
			t.Logf("%d bytes: %.1f times as much is stored", wire, float64(bytes)/float64(wire))
			require.LessOrEqual(t, bytes, storedMultiple*wire+heldspans.MaxRepeated)
			for range 4 { // runs close, and conversations end
				r.Advance(t.Context(), time.Hour)
			}
			require.NoError(t, r.Shutdown(t.Context()))
			require.Empty(t, recordsIn(v))
		})
	}
}

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
		rough := newCrashPlay(t, change, journaltest.New())
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
	storage *journaltest.Storage
	*rig
	out     map[pcommon.SpanID][]map[string]any
	refusal error
	// resource is an attribute of the resource of all spans.
	resource string
}

func newCrashPlay(t *testing.T, change func(*Settings, *sink), v *journaltest.Storage) *crashPlay {
	s := &crashPlay{t: t, change: change, storage: v, out: map[pcommon.SpanID][]map[string]any{}}
	s.begin()
	return s
}

func (s *crashPlay) begin() {
	s.rig = newRig(s.t, func(set *Settings, sink *sink) {
		s.change(set, sink)
		if s.storage != nil {
			set.Storage = &journaltest.ID
		}
	})
	next, err := consumer.NewTraces(s.consume)
	require.NoError(s.t, err)
	s.next = next
	s.clock.stop()
	if s.storage != nil {
		s.host = s.storage
		require.NoError(s.t, s.resume(s.t.Context()))
	}
}

func (s *crashPlay) consume(_ context.Context, td ptrace.Traces) error {
	if s.refusal != nil {
		return s.refusal
	}
	for span := range spansOf(td) {
		s.out[span.SpanID()] = append(s.out[span.SpanID()], span.Attributes().AsRaw())
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
		s.storage.Ask(journaltest.NoWrites)
	case 2:
		s.storage.Ask(journaltest.RemovalsOnly)
	}
	f(ctx)
	s.refusal = nil
	s.storage.Ask(nil)
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
	require.Empty(s.t, recordsIn(s.storage), "left in the storage")
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

// The process is killed or shut down between the two requests of a run. The next one delivers all of it again, with the same verdicts: an
// interrupted delivery begins anew.
func TestAnEndBetweenTheRequestsOfARunLosesNoVerdict(t *testing.T) {
	for _, killed := range []bool{true, false} {
		s := newCrashPlay(t, annotatesCalls, journaltest.New())
		spans := append(manyCalls(), agent("small", "", 0, 1), tool("own", "small", 0, 1, "search"))
		require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
		ctx := s.refuseAfterOne(t)
		s.elapse(ctx, time.Minute)
		require.Len(t, s.out, heldspans.MaxSpans, "of the first request")
		if !killed {
			require.NoError(t, s.Shutdown(ctx))
			require.Equal(t, heldspans.MaxSpans, s.total("spans_released"))
			require.Equal(t, len(spans)-heldspans.MaxSpans, s.total("spans_suspended"))
		}
		s.begin()
		require.Equal(t, len(spans), s.total("spans_resumed"))
		s.elapse(t.Context(), time.Minute)
		s.end()
		require.Zero(t, s.total("records_set_aside"))
		require.Len(t, s.out, len(spans))
		require.Equal(t, "matched", s.out[spanID("own")][0]["tool_correctness.call.verdict"])
		for i := range heldspans.MaxSpans + 100 {
			for _, attributes := range s.out[spanID("c"+strconv.Itoa(i))] {
				require.Equal(t, map[bool]string{true: "matched", false: "unexpected"}[i == 0], attributes["tool_correctness.call.verdict"], "call %d", i)
			}
		}
	}
}

// The process ends between the two requests of a conversation. Its parts get no verdicts of their own, and the whole gets the
// same verdict as without the crash.
func TestACrashBetweenTheRequestsOfAConversationChangesNoVerdict(t *testing.T) {
	verdicts := func(crash bool) map[pcommon.SpanID]any {
		s := newCrashPlay(t, func(s *Settings, _ *sink) {
			s.Run.Conversations = true
			s.ConversationAttributes = []string{"session.id"}
		}, journaltest.New())
		var spans []span
		for i := range heldspans.MaxSpans + 88 {
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
			require.Len(t, s.out, forwarded+heldspans.MaxSpans, "of the first request")
			s.next = next
			s.begin()
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
