package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// A watcher shows runs as they close.
type watcher struct {
	options options
	address string
	streams
	spans atomic.Int64

	mu     sync.Mutex     // guards all below
	latest [][]report.Row // the runs that the page shows, the latest first
	sum    report.Summary
}

// maxWatched is how many runs the page has.
const maxWatched = 1000

var watchCommand = subcommand{
	name: "watch", short: "receive OTLP, and show runs as they close", usage: "watch [FLAGS]", noFiles: true,
	long: `Receive OTLP over HTTP, and show each run when it closes: here, and on a page that stays current.
Point your agent at it, as these two variables do for most SDKs:
  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
With FILE, a collector configuration, runs are judged; without it, listed. Nothing is stored.`,
	example: `A run closes run.wait (5s) after its own span arrived. Ctrl-C closes the runs that wait, and ends.
exit codes: 0 all judged runs passed (or the share that -pass-rate asks for), or there was no FILE;
  1 a run failed or had no score, or nothing was judged; 2 wrong use.
examples:
  toolcorrectness watch
  toolcorrectness watch -config examples/demo.yaml`,
	prepare: func(f *flag.FlagSet) action {
		w := &watcher{}
		w.options.collector.flags(f, "the collector configuration `FILE` that judges; several are merged", "the `ID` of the processor in FILE, if FILE has several")
		f.StringVar(&w.address, "http", "127.0.0.1:4318", "receive OTLP, and show the page, at this `ADDRESS`")
		w.options.passRateFlag(f)
		w.options.valuesFlag(f)
		return func(ctx context.Context, s streams, _ []string) error {
			ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
			defer stop()
			context.AfterFunc(ctx, stop) // the next interrupt ends the command at once
			w.streams, w.options.list = s, len(w.options.collector.files) == 0
			return w.run(ctx)
		}
	},
}

// run receives until ctx ends, and says whether the runs are good enough.
func (w *watcher) run(ctx context.Context) error {
	cfg, err := w.options.load(ctx, w.streams)
	if err != nil {
		return err
	}
	cfg.Storage = nil
	p, err := cfg.build(ctx, logTo(w.err, new(int)))
	if err != nil {
		return err
	}
	p.Observe(func(r evaluate.Report) { w.show(rowsOf(r, cfg.Annotate.Values)) })
	if err := p.Start(ctx, componenttest.NewNopHost()); err != nil {
		return err
	}
	socket, err := net.Listen("tcp", w.address)
	if err != nil {
		return errors.Join(fmt.Errorf("-http: %w", err), p.Shutdown(ctx))
	}
	address := socket.Addr().String()
	w.say("receiving OTLP at %[1]s; the page is http://%[1]s; point your agent here: OTEL_EXPORTER_OTLP_ENDPOINT=http://%[1]s OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", address)
	err = serve(ctx, socket, w.page(address), func(ctx context.Context, td ptrace.Traces) error {
		if n := int64(td.SpanCount()); n > 0 && w.spans.Add(n) == n {
			w.say("spans arrive")
		}
		return p.ConsumeTraces(ctx, td)
	})
	ctx = context.WithoutCancel(ctx)
	p.Advance(ctx, cfg.Run.Wait) // runs whose own span arrived are over
	if err = errors.Join(err, p.Shutdown(ctx)); err != nil {
		return err
	}
	return w.close()
}

// show prints the rows of a run, and puts them on the page.
func (w *watcher) show(run []report.Row) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range run {
		run[i].Run = w.sum.Runs
		fmt.Fprintln(w.out, run[i].Line(w.options.gate))
	}
	w.options.gate.Count(&w.sum, run)
	w.latest = slices.Insert(w.latest, 0, run)
	w.latest = w.latest[:min(len(w.latest), maxWatched)]
}

// close is the gate.
func (w *watcher) close() error {
	switch {
	case w.sum.Runs == 0:
		w.say("no runs: %s arrived, and none is known as an agent's, a tool call's or a model call's", report.Number(int(w.spans.Load()), "span"))
	case w.options.list:
		w.say("%s", report.Number(w.sum.Runs, "run"))
	default:
		w.say("%s", w.sum)
	}
	if err := w.options.gate.Check(w.sum); err != nil && !w.options.list {
		return errGate{err}
	}
	return nil
}

// page serves the latest runs, and at /runs how many have closed. It answers to numbers and localhost only, so that no other site's
// name can be made to lead here.
func (w *watcher) page(address string) http.HandlerFunc {
	return func(to http.ResponseWriter, r *http.Request) {
		if host := (&url.URL{Host: r.Host}).Hostname(); host != "localhost" && net.ParseIP(host) == nil {
			http.Error(to, "use http://"+address, http.StatusForbidden)
			return
		}
		w.mu.Lock()
		live, latest := &report.Live{Runs: w.sum.Runs, Address: address}, slices.Clone(w.latest)
		w.mu.Unlock()
		switch r.URL.Path {
		case "/":
			to.Header().Set("Content-Type", "text/html; charset=utf-8")
			if err := report.HTML(to, slices.Concat(latest...), report.Options{Gate: w.options.gate, Live: live}); err != nil {
				w.say("the page: %v", err)
			}
		case "/runs":
			fmt.Fprint(to, live.Runs)
		default:
			http.NotFound(to, r)
		}
	}
}

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
