package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal/journaltest"
)

// hooks are steps of one story each.
var hooks = map[string]func(*teller){
	"damage": func(h *teller) {
		data := h.Entries[recordsIn(h.Storage)[0]]
		data[len(data)-1] ^= 1
	},
	"ahead": func(h *teller) {
		other := evidence.Trace{Key: evidence.Key{Trace: traceID(9)}, Links: []evidence.Link{{ID: spanID("web")}}}
		body, _ := other.AppendBinary(nil)
		h.write(time.Now().Add(24*time.Hour), body)
	},
	"give_up": func(h *teller) {
		h.Ask(journaltest.None()) // only who has gone is refused
		ctx, cancel := context.WithCancel(h.t.Context())
		cancel()
		require.NoError(h.t, h.ConsumeTraces(ctx, traces(plain("web", "", 1, 2).in(9))), "ordinary spans are not held up")
	},
	"hang": func(h *teller) {
		answer := make(chan struct{})
		h.t.Cleanup(func() { close(answer) })
		h.next, _ = consumer.NewTraces(func(context.Context, ptrace.Traces) error { <-answer; return nil })
	},
	"shutdown_in_a_second": func(h *teller) {
		ctx, cancel := context.WithTimeout(h.t.Context(), time.Second)
		defer cancel()
		err := h.rig.Shutdown(ctx)
		require.ErrorIs(h.t, err, context.DeadlineExceeded)
		require.NotContains(h.t, err.Error(), "lost")
		require.Zero(h.t, h.Open)
	},
	"spoil": func(h *teller) {
		h.write(time.Now(), []byte("no evidence"))
		whole := h.Entries[recordsIn(h.Storage)[0]]
		h.Entries[journal.KeyOfSlot(102)] = slices.Concat([]byte{whole[0] + 1}, whole[1:]) // the version is the first byte
		h.Entries[journal.KeyOfSlot(103)] = slices.Concat(whole[:1], []byte("no record at all"))
	},
	"look": func(h *teller) {
		require.EqualValues(h.t, journal.Version+1, h.Entries[journal.KeyOfSlot(102)][0], "the record of another version is left alone")
		require.NotContains(h.t, string(h.Entries[journal.KeyOfSlot(103)]), "no record at all")
		require.Contains(h.t, fmt.Sprintf("%s", h.Entries), "no record at all", "it is kept elsewhere")
	},
	"fill": func(h *teller) {
		h.Room = 20_000
		refused := 0
		for n := range byte(200) {
			batch := []span{agent("run", "", 1, 10).in(n), tool("call", "run", 3, 4, "search").in(n)}
			for i := range 20 {
				batch = append(batch, plain("web"+strconv.Itoa(i), "", 1, 2).in(n))
			}
			for inARow := 1; h.send(batch...) != nil; inARow++ {
				require.Less(h.t, inARow, 30, "open runs have closed, and their records are still not removed")
				refused++
				time.Sleep(time.Second) // runs close meanwhile
			}
		}
		require.Positive(h.t, refused, "it was full")
		require.Less(h.t, refused, 200, "a batch is refused once at most, on average")
		h.after(time.Minute, 200*22)
	},
	"picky": func(h *teller) {
		attempts := 0
		h.sink.check = func(td ptrace.Traces) error {
			attempts++
			switch {
			case td.SpanCount() == 4:
				return errTooLarge
			case attempts > 2:
				return errNotNow
			}
			return nil
		}
	},
	"half": func(h *teller) { h.after(12*time.Second, 2) },
	"all": func(h *teller) {
		h.elapsed(time.Minute)
		for id := range h.sink.spans {
			h.before[nameOf(id)] = nil
		}
		require.Len(h.t, h.before, 4)
	},
	"slow":      func(h *teller) { h.sink.check = func(ptrace.Traces) error { time.Sleep(5 * time.Second); return nil } },
	"fast":      func(h *teller) { h.sink.check = nil },
	"set_1":     func(h *teller) { h.source.next(1) },
	"set_2":     func(h *teller) { h.source.next(2) },
	"wrong":     func(h *teller) { h.source.fail(errors.New("cases.yaml:3: no such key")) },
	"unsettled": func(h *teller) { h.source.fail(evaluate.ErrUnsettled) },
	"right":     func(h *teller) { h.source.fail(nil) },
}

// write adds a record to the journal.
func (h *teller) write(at time.Time, body []byte) {
	_, err := h.journal.Write(h.t.Context(), at, [][]byte{body}, nil)
	require.NoError(h.t, err)
}
