package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

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
	seed   uint64
	ledger *ledger
	next   atomic.Uint64 // number of the next job
	halt   chan struct{} // closed: no further job
	done   sync.WaitGroup
}

// startSenders has the senders send to an endpoint. When ctx ends, they give up.
func startSenders(ctx context.Context, l load, seed uint64, to *ledger, endpoint string) (*senders, error) {
	s := &senders{load: l, seed: seed, ledger: to, halt: make(chan struct{})}
	for i := range l.senders {
		conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, MaxDelay: 100 * time.Millisecond}}))
		if err != nil {
			return nil, err
		}
		s.done.Go(func() {
			_ = sleep(ctx, l.stagger*time.Duration(i)/time.Duration(l.senders)) // work sees that ctx has ended
			s.work(ctx, ptraceotlp.NewGRPCClient(conn))
			_ = conn.Close() // nothing is sent any more
		})
	}
	return s, nil
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
		j := makeJob(s.seed, n, s.load.shape)
		j.beginAt(time.Now())
		for k := range j.requests {
			if s.load.rate > 0 {
				due := start.Add(time.Duration(sent) * time.Second * time.Duration(s.load.senders) / time.Duration(s.load.rate))
				_ = sleep(ctx, time.Until(due)) // deliver sees that ctx has ended
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
	s.ledger.begin(j, k, time.Now())
	if len(j.requests[k]) == 0 {
		s.ledger.acknowledge(j, k, time.Now())
		return true
	}
	request := ptraceotlp.NewExportRequestFromTraces(traces(j.requests[k]))
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := export(ctx, client, request)
		switch {
		case err == nil:
			s.ledger.acknowledge(j, k, time.Now())
			return true
		case ctx.Err() != nil:
			s.ledger.add(0, 0, 1)
			return false
		case !retryable(err):
			s.ledger.add(0, 1, 0)
			return false
		}
		s.ledger.add(1, 0, 0)
		_ = sleep(ctx, pause)
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
