package processor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A consumer that names the spans that it did not accept gets only those again.
func TestOnlyWhatIsLeftIsTriedAgain(t *testing.T) {
	for name, tc := range map[string]struct {
		refuses  string // the spans whose ids begin so
		says     string // likewise
		wrap     func(error) error
		attempts string
		lost     int
		reason   string
	}{
		"for now":            {"b", "b", asItIs, "abcd b", 0, "the others were accepted"},
		"for good":           {"b", "b", consumererror.NewPermanent, "abcd", 1, "the others were accepted, and one span is not divided"},
		"several for good":   {"bd", "bd", consumererror.NewPermanent, "abcd b d", 0, "of what is left the halves are tried, and now they are accepted"},
		"of two consumers":   {"b", "b", joined, "abcd abcd", 0, "the other one may have accepted nothing"},
		"of spans unknown":   {"b", "x", asItIs, "abcd abcd", 0, "it names a span that was not sent"},
		"everything for now": {"abcd", "abcd", asItIs, "abcd abcd", 0, "as if it had not said anything"},
	} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, nil, func(t *testing.T, r *rig) {
				next := &partial{sink: r.sink, refuses: tc.refuses, says: tc.says, wrap: tc.wrap}
				r.next = next
				require.NoError(t, r.send(agent("a", "", 1, 9).in(1), agent("b", "", 1, 9).in(2), agent("c", "", 1, 9).in(3), agent("d", "", 1, 9).in(4)))
				time.Sleep(time.Minute)
				synctest.Wait()
				slices.Sort(next.attempts[1:])
				require.Equal(t, tc.attempts, strings.Join(next.attempts, " "), tc.reason)
				require.Equal(t, tc.lost, r.total("spans_failed"), tc.reason)
				require.Equal(t, 4-tc.lost, r.total("spans_released"))
				r.sent = r.sink.got() + tc.lost // some retried spans are released again
			})
		})
	}
}

func asItIs(err error) error { return err }

func joined(err error) error { return errors.Join(err, errors.New("another")) }

// partial is a consumer that does not accept some spans of its first request, and says which.
type partial struct {
	*sink
	refuses, says string
	wrap          func(error) error
	attempts      []string // the first letters of the ids
}

func (p *partial) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	var letters []string
	taken, left := ptrace.NewTraces(), ptrace.NewTraces()
	for span := range spansOf(td) {
		id := span.SpanID()
		letters = append(letters, string(id[:1]))
		to := taken
		if strings.ContainsRune(p.refuses, rune(id[0])) {
			to = left
		}
		span.CopyTo(to.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	slices.Sort(letters)
	p.attempts = append(p.attempts, strings.Join(letters, ""))
	if len(p.attempts) > 1 {
		return p.sink.ConsumeTraces(ctx, td)
	}
	if p.says != p.refuses {
		left = traces(agent(p.says, "", 1, 9))
	}
	if err := p.sink.ConsumeTraces(ctx, taken); err != nil {
		return err
	}
	return p.wrap(consumererror.NewTraces(errors.New("not these"), left))
}
