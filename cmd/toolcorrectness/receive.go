package main

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // senders may compress
	"google.golang.org/grpc/status"
)

const (
	// maxRequest is how many bytes a request has at most, also decompressed.
	maxRequest = 20 << 20
	// lastRequests is how long requests may take that are under way at the end.
	lastRequests = 5 * time.Second
)

// serve gives the spans of OTLP requests to consume until ctx ends. Logs and metrics, which many senders send along, are
// accepted and dropped. What is no OTLP is for the page.
func serve(ctx context.Context, grpcSocket, httpSocket net.Listener, page http.Handler, consume consumer.ConsumeTracesFunc) error {
	g := grpc.NewServer(grpc.MaxRecvMsgSize(maxRequest))
	ptraceotlp.RegisterGRPCServer(g, &traceService{consume: consume})
	plogotlp.RegisterGRPCServer(g, &logService{})
	pmetricotlp.RegisterGRPCServer(g, &metricService{})
	mux := http.NewServeMux()
	mux.Handle("POST /v1/traces", overHTTP(func(ctx context.Context, r ptraceotlp.ExportRequest) error { return consume(ctx, r.Traces()) }))
	mux.Handle("POST /v1/logs", overHTTP(nil))
	mux.Handle("POST /v1/metrics", overHTTP(nil))
	mux.Handle("GET /", page)
	config := confighttp.NewDefaultServerConfig() // which takes compressed requests
	config.MaxRequestBodySize, config.ReadHeaderTimeout = maxRequest, lastRequests
	config.WriteTimeout = 0 // the page waits for changes
	h, err := config.ToServer(ctx, nil, componenttest.NewNopTelemetrySettings(), mux)
	if err != nil {
		return err
	}
	h.BaseContext = func(net.Listener) context.Context { return ctx }
	ended := make(chan error, 2)
	go func() { ended <- g.Serve(grpcSocket) }()
	go func() { ended <- h.Serve(httpSocket) }()
	select {
	case <-ctx.Done():
	case err = <-ended:
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRequests)
	defer cancel()
	defer context.AfterFunc(last, g.Stop)()
	g.GracefulStop()
	if h.Shutdown(last) != nil {
		return errors.Join(err, h.Close())
	}
	return err
}

type (
	traceService struct {
		ptraceotlp.UnimplementedGRPCServer
		consume consumer.ConsumeTracesFunc
	}
	logService struct {
		plogotlp.UnimplementedGRPCServer
	}
	metricService struct {
		pmetricotlp.UnimplementedGRPCServer
	}
)

// Export takes the spans of a request.
func (s *traceService) Export(ctx context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	err := s.consume(ctx, r.Traces())
	if err != nil {
		err = status.Error(codes.Unavailable, err.Error())
	}
	return ptraceotlp.NewExportResponse(), err
}

// Export drops a request.
func (*logService) Export(context.Context, plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	return plogotlp.NewExportResponse(), nil
}

// Export drops a request.
func (*metricService) Export(context.Context, pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	return pmetricotlp.NewExportResponse(), nil
}

// overHTTP is the same for requests over HTTP. The response says nothing, in the form of the request.
func overHTTP(export func(context.Context, ptraceotlp.ExportRequest) error) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		request, form := ptraceotlp.NewExportRequest(), r.Header.Get("Content-Type")
		decode, response := request.UnmarshalProto, ""
		switch media, _, _ := mime.ParseMediaType(form); media {
		case "application/json":
			decode, response = request.UnmarshalJSON, "{}"
		case "application/x-protobuf":
		default:
			http.Error(to, "Content-Type must be application/x-protobuf or application/json", http.StatusUnsupportedMediaType)
			return
		}
		if export != nil {
			data, err := io.ReadAll(r.Body)
			if err == nil {
				err = decode(data)
			}
			if err != nil {
				http.Error(to, err.Error(), http.StatusBadRequest)
				return
			}
			if err := export(context.WithoutCancel(r.Context()), request); err != nil {
				http.Error(to, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		to.Header().Set("Content-Type", form)
		_, _ = io.WriteString(to, response)
	}
}
