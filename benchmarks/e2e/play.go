package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

const (
	sendBound  = 120 * time.Second // for all requests of a round
	drainBound = 60 * time.Second  // after the wait, for what is held
)

// play runs one round of a case.
func (o options) play(ctx context.Context, c testCase, load *workload.Load) (got cost, err error) {
	dir, err := os.MkdirTemp("", "bench-e2e-*")
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := startSink(load)
	if err != nil {
		return got, err
	}
	defer s.server.Stop()
	p, endpoint, err := startCollector(ctx, o.collector, dir, c, s.endpoint)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, p.Stop(stopBound), s.check(c.judges)) }() // a stop may flush what must not come out twice
	before, err := cpuTime(p.PID())
	if err != nil {
		return got, err
	}
	began := time.Now()
	if err := o.send(ctx, endpoint, load.Requests); err != nil {
		return got, err
	}
	got.in = time.Since(began)
	select {
	case <-s.all:
	case <-ctx.Done():
		return got, ctx.Err()
	case <-time.After(o.wait + drainBound):
		return got, errors.New("not all spans came out in time")
	}
	got.out = time.Since(began)
	after, err := cpuTime(p.PID())
	if err != nil {
		return got, err
	}
	got.cpu = after - before
	got.peak, err = peakMemory(p.PID())
	return got, err
}

// send has each request acknowledged once.
func (o options) send(ctx context.Context, endpoint string, requests [][]byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendBound)
	defer cancel()
	errs := make([]error, o.inFlight)
	var next atomic.Int64
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			conn, err := grpc.NewClient(endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
			if err != nil {
				errs[i] = err
				return
			}
			for n := int(next.Add(1)) - 1; n < len(requests) && err == nil; n = int(next.Add(1)) - 1 {
				err = deliver(ctx, conn, requests[n])
			}
			errs[i] = errors.Join(err, conn.Close())
		})
	}
	done.Wait()
	return errors.Join(errs...)
}

// nothingRejected is an answer with an empty partial_success. One that rejects something is longer.
var nothingRejected = []byte{0x0a, 0x00}

// deliver tries again while the collector is not available.
func deliver(ctx context.Context, conn *grpc.ClientConn, request []byte) error {
	for {
		var response []byte
		err := conn.Invoke(ctx, "/"+service+"/"+method, &request, &response)
		if err == nil && len(response) > len(nothingRejected) {
			return fmt.Errorf("a part was rejected: the answer has %d bytes", len(response))
		}
		if status.Code(err) != codes.Unavailable {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
