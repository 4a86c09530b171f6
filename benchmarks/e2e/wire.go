package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

const (
	service = "opentelemetry.proto.collector.trace.v1.TraceService"
	method  = "Export"
)

// raw takes and gives messages as they are on the wire, so that senders and sink leave the machine to the collector.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	b, ok := v.(*[]byte)
	if !ok {
		return nil, fmt.Errorf("%T is no message", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(*b)}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	b, ok := v.(*[]byte)
	if !ok {
		return fmt.Errorf("%T is no message", v)
	}
	*b = data.Materialize()
	return nil
}

// A sink is the backend. It counts spans, sums their ids, and counts the root spans that have a score.
type sink struct {
	endpoint string
	server   *grpc.Server
	want     *workload.Load
	all      chan struct{} // closed when as many spans came out as went in

	spans, ids, scored atomic.Uint64
}

func startSink(want *workload.Load) (*sink, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{endpoint: l.Addr().String(), want: want, all: make(chan struct{})}
	s.server = receiver(s.take)
	go func() { _ = s.server.Serve(l) }() // it ends with the server's Stop
	return s, nil
}

// receiver is an OTLP server for traces.
func receiver(take func(context.Context, []byte) error) *grpc.Server {
	server := grpc.NewServer(grpc.ForceServerCodecV2(raw{}), grpc.MaxRecvMsgSize(1<<28))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: service, HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: method, Handler: func(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var request []byte
			if err := decode(&request); err != nil {
				return nil, err
			}
			return &[]byte{}, take(ctx, request)
		}}},
	}, struct{}{})
	return server
}

func (s *sink) take(_ context.Context, request []byte) error {
	var spans, ids, scored uint64
	err := fields(request, func(n protowire.Number, resource []byte) error {
		return only(1, n, resource, func(n protowire.Number, scope []byte) error {
			return only(2, n, scope, func(n protowire.Number, span []byte) error {
				return only(2, n, span, func(n protowire.Number, id []byte) error {
					switch {
					case n == 2 && len(id) == 8:
						spans++
						ids += binary.BigEndian.Uint64(id)
					case n == 9 && bytes.Contains(id, []byte("tool_correctness.score")):
						scored++
					}
					return nil
				})
			})
		})
	})
	s.ids.Add(ids)
	s.scored.Add(scored)
	if now := s.spans.Add(spans); now >= uint64(s.want.Spans) && now-spans < uint64(s.want.Spans) {
		close(s.all)
	}
	return err
}

// check returns an error if the spans that arrived are wrong.
func (s *sink) check(judges bool) error {
	if spans := s.spans.Load(); spans != uint64(s.want.Spans) {
		return fmt.Errorf("%d spans were acknowledged, %d came out", s.want.Spans, spans)
	}
	if s.ids.Load() != s.want.SpanIDs {
		return errors.New("as many spans came out as were acknowledged, but other ones")
	}
	if scored := s.scored.Load(); judges && scored != uint64(s.want.Runs) {
		return fmt.Errorf("of %d runs %d have a score", s.want.Runs, scored)
	}
	return nil
}

// only walks through the message if its number is the wanted one.
func only(want, n protowire.Number, message []byte, f func(protowire.Number, []byte) error) error {
	if n != want {
		return nil
	}
	return fields(message, f)
}

// fields calls f with the fields of a message that are messages, bytes or texts.
func fields(message []byte, f func(protowire.Number, []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return protowire.ParseError(n)
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return protowire.ParseError(n)
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			if err := f(number, value); err != nil {
				return err
			}
		}
		message = message[n:]
	}
	return nil
}
