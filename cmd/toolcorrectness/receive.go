package main

import (
	"context"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

const (
	// maxRequest is how many bytes a request has at most, also decompressed.
	maxRequest = 20 << 20
	// lastRequests is how long requests may take that are under way at the end.
	lastRequests = 5 * time.Second
)

// serve gives the spans of OTLP requests to consume until ctx ends. Logs and metrics, which many senders send along, are
// accepted and dropped. What is no OTLP is for the page.
func serve(ctx context.Context, socket net.Listener, page http.Handler, consume consumer.ConsumeTracesFunc) error {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/traces", export(consume))
	mux.Handle("POST /v1/logs", export(nil))
	mux.Handle("POST /v1/metrics", export(nil))
	mux.Handle("GET /", page)
	config := confighttp.NewDefaultServerConfig() // which takes compressed requests
	config.MaxRequestBodySize = maxRequest
	server, err := config.ToServer(ctx, nil, componenttest.NewNopTelemetrySettings(), mux)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(socket) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastRequests)
	defer cancel()
	if server.Shutdown(last) != nil {
		return server.Close()
	}
	return nil
}

// export takes a request over HTTP. The response says nothing, in the form of the request.
func export(consume consumer.ConsumeTracesFunc) http.HandlerFunc {
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
		if consume != nil {
			data, err := io.ReadAll(r.Body)
			if err == nil {
				err = decode(data)
			}
			if err != nil {
				http.Error(to, err.Error(), http.StatusBadRequest)
				return
			}
			if err := consume(context.WithoutCancel(r.Context()), request.Traces()); err != nil {
				http.Error(to, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		to.Header().Set("Content-Type", form)
		_, _ = io.WriteString(to, response)
	}
}
