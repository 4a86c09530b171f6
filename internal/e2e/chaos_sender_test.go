//go:build chaos

package e2e

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

const (
	// exportTimeout bounds one attempt, as in the SDKs.
	exportTimeout = 10 * time.Second
	// firstPause is doubled from refusal to refusal, up to lastPause. SDKs wait longer; a short case cannot.
	firstPause, lastPause = 20 * time.Millisecond, 320 * time.Millisecond
)

// A sentRun is an agent's trace as its sender sees it.
type sentRun struct {
	anchors     []anchor
	root        spanID
	first, last int       // the requests of its job with a part of it
	began       time.Time // before the first was sent; zero: it was not
	acked       time.Time // after the last was acknowledged; zero: it was not
}

// A ledger is what the senders know.
type ledger struct {
	mu sync.Mutex // guards what follows
	sent
}

// sent is what was sent and acknowledged.
type sent struct {
	acked   map[spanID]time.Time // every acknowledged span, and when
	runs    []*sentRun
	retries int // requests that were refused and sent again
	givenUp int // requests that were answered so that a sender drops them
	pending int // requests that were not accepted when the case ended
}

// begin notes the runs that begin with request k of a job.
func (l *ledger) begin(j job, k int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range j.runs {
		if r.first == k {
			r.began = time.Now()
			l.runs = append(l.runs, r)
		}
	}
}

// acknowledge notes that request k of a job was.
func (l *ledger) acknowledge(j job, k int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, s := range j.requests[k] {
		l.sent.acked[idOf(s.Span)] = now
	}
	for _, r := range j.runs {
		if r.last == k {
			r.acked = now
		}
	}
}

// add adds 1 to a number of the ledger.
func (l *ledger) add(n *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*n++
}

// heldable are the spans that the processor may hold back: anchors, and the roots of their traces.
func (s *sent) heldable() map[spanID]struct{} {
	found := map[spanID]struct{}{}
	for _, r := range s.runs {
		found[r.root] = struct{}{}
		for _, a := range r.anchors {
			found[a.id] = struct{}{}
		}
	}
	return found
}

// A load says what senders send.
type load struct {
	senders int
	rate    int // requests a second, of all senders; 0: as many as are answered
	jobs    int // how many there are; 0: until stopped
	shape   shape
	// stagger is the time over which the senders begin, one after the other.
	stagger time.Duration
}

// senders are OTLP clients. Each sends its jobs' requests one after the other.
type senders struct {
	load   load
	ledger *ledger
	next   atomic.Uint64 // number of the next job
	halt   chan struct{} // closed: no further job
	done   sync.WaitGroup
}

// startSenders has the senders send to an endpoint. When ctx ends, they give up.
func startSenders(ctx context.Context, t *testing.T, l load, to *ledger, endpoint string) *senders {
	t.Helper()
	s := &senders{load: l, ledger: to, halt: make(chan struct{})}
	for i := range l.senders {
		conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, MaxDelay: 100 * time.Millisecond}}))
		require.NoError(t, err)
		s.done.Go(func() {
			sleep(ctx, l.stagger*time.Duration(i)/time.Duration(l.senders))
			s.work(ctx, ptraceotlp.NewGRPCClient(conn))
			_ = conn.Close() // nothing is sent any more
		})
	}
	return s
}

// stop lets the senders finish the jobs that they have begun.
func (s *senders) stop() {
	close(s.halt)
	s.done.Wait()
}

func (s *senders) work(ctx context.Context, client ptraceotlp.GRPCClient) {
	start, sent := time.Now(), 0
	for {
		select {
		case <-s.halt:
			return
		default:
		}
		n := s.next.Add(1) - 1
		if s.load.jobs > 0 && n >= uint64(s.load.jobs) {
			return
		}
		j := makeJob(*seed, n, s.load.shape)
		j.beginAt(time.Now())
		for k := range j.requests {
			if s.load.rate > 0 {
				due := start.Add(time.Duration(sent) * time.Second * time.Duration(s.load.senders) / time.Duration(s.load.rate))
				sleep(ctx, time.Until(due))
			}
			sent++
			if !s.deliver(ctx, client, j, k) {
				return
			}
		}
	}
}

// deliver sends request k of a job until it is acknowledged. It is false where that did not happen.
func (s *senders) deliver(ctx context.Context, client ptraceotlp.GRPCClient, j job, k int) bool {
	s.ledger.begin(j, k)
	if len(j.requests[k]) == 0 {
		s.ledger.acknowledge(j, k)
		return true
	}
	request := ptraceotlp.NewExportRequestFromTraces(traces(j.requests[k]))
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := export(ctx, client, request)
		switch {
		case err == nil:
			s.ledger.acknowledge(j, k)
			return true
		case ctx.Err() != nil:
			s.ledger.add(&s.ledger.pending)
			return false
		case !retryable(err):
			s.ledger.add(&s.ledger.givenUp)
			return false
		}
		s.ledger.add(&s.ledger.retries)
		sleep(ctx, pause)
	}
}

// sleep waits for d, or until ctx ends: who calls it sees that.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

var errPartial = errors.New("a part was rejected")

func export(ctx context.Context, client ptraceotlp.GRPCClient, request ptraceotlp.ExportRequest) error {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	response, err := client.Export(ctx, request)
	if err == nil && response.PartialSuccess().RejectedSpans() > 0 {
		return errPartial
	}
	return err
}

// retryable is OTLP's rule for gRPC.
func retryable(err error) bool {
	st, ok := status.FromError(err)
	if !ok {
		return false
	}
	switch st.Code() {
	case codes.Canceled, codes.DeadlineExceeded, codes.Aborted, codes.OutOfRange, codes.Unavailable, codes.DataLoss:
		return true
	case codes.ResourceExhausted:
		for _, d := range st.Details() {
			if _, ok := d.(*errdetails.RetryInfo); ok {
				return true
			}
		}
	}
	return false
}
