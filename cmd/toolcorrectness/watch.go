package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// A watcher shows runs as they close.
type watcher struct {
	options    options
	http, grpc string // addresses
	streams

	mu sync.Mutex // guards all below
	// latest are the runs that the page shows, the oldest first, and size is what they take.
	latest [][]report.Row
	size   int
	sum    report.Summary
	spans  int
	// changed is closed when a run closes.
	changed chan struct{}
}

// The page has the latest runs, this many and of this many bytes at most.
const (
	maxWatched     = 1000
	maxWatchedSize = 64 << 20
)

var watchCommand = subcommand{
	name: "watch", short: "receive OTLP, and show runs as they close", usage: "[FLAGS]",
	long: `Receive OTLP, and show each run when it closes: here, and on a page that stays current. Point your
agent at it, as OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 does for most SDKs. With FILE, a
collector configuration, runs are judged; without it they are listed. Nothing is stored.`,
	example: `A run closes run.wait (5s) after its own span arrived. Ctrl-C closes the runs that wait, and ends.
exit codes: 0 all judged runs passed (or the share that -pass-rate asks for), or there was no FILE;
  1 a run failed or had no score, or nothing was judged; 2 wrong use.
examples:
  toolcorrectness watch
  toolcorrectness watch -config examples/demo.yaml`,
	prepare: func(f *flag.FlagSet) action {
		w := &watcher{changed: make(chan struct{})}
		w.options.collector.flags(f, "the collector configuration `FILE` that judges; several are merged", "the `ID` of the processor in FILE, if FILE has several")
		f.StringVar(&w.grpc, "grpc", "127.0.0.1:4317", "receive OTLP over gRPC at this `ADDRESS`")
		f.StringVar(&w.http, "http", "127.0.0.1:4318", "receive OTLP over HTTP at this `ADDRESS`, which has the page as well")
		w.options.passRateFlag(f)
		w.options.valuesFlag(f)
		return func(ctx context.Context, s streams, args []string) error {
			if err := noFiles(args); err != nil {
				return err
			}
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
	p, wait, err := w.start(ctx)
	if err != nil {
		return err
	}
	err = w.receive(ctx, p.ConsumeTraces)
	ctx = context.WithoutCancel(ctx)
	p.Advance(ctx, wait) // runs whose own span arrived are over
	if err = errors.Join(err, p.Shutdown(ctx)); err != nil {
		return err
	}
	return w.close()
}

// start starts a processor that shows its runs, and returns how long they wait.
func (w *watcher) start(ctx context.Context) (p *processor.Processor, wait time.Duration, err error) {
	cfg, err := w.options.load(ctx, w.streams)
	if err != nil {
		return nil, 0, err
	}
	cfg.Storage = nil
	if p, err = cfg.build(ctx, logTo(w.err, new(int))); err != nil {
		return nil, 0, err
	}
	p.Observe(func(r evaluate.Report) { w.show(rowsOf(r, cfg.Annotate.Values)) })
	return p, cfg.Run.Wait, p.Start(ctx, componenttest.NewNopHost())
}

// receive gives the spans that arrive to consume, and shows the page, until ctx ends.
func (w *watcher) receive(ctx context.Context, consume consumer.ConsumeTracesFunc) error {
	overGRPC, err := net.Listen("tcp", w.grpc)
	if err != nil {
		return fmt.Errorf("-grpc: %w", err)
	}
	overHTTP, err := net.Listen("tcp", w.http)
	if err != nil {
		return errors.Join(fmt.Errorf("-http: %w", err), overGRPC.Close())
	}
	w.say("receiving OTLP over gRPC at %s, and over HTTP at %s", overGRPC.Addr(), overHTTP.Addr())
	w.say("the page is http://%[1]s; point your agent here: OTEL_EXPORTER_OTLP_ENDPOINT=http://%[1]s OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", overHTTP.Addr())
	return serve(ctx, overGRPC, overHTTP, w.page(overHTTP.Addr().String()), func(ctx context.Context, td ptrace.Traces) error {
		w.count(td.SpanCount())
		return consume(ctx, td)
	})
}

// count counts spans, and says that there are some.
func (w *watcher) count(spans int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.spans == 0 && spans > 0 {
		w.say("spans arrive")
	}
	w.spans += spans
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
	w.latest, w.size = append(w.latest, run), w.size+sizeOf(run)
	for len(w.latest) > maxWatched || w.size > maxWatchedSize && len(w.latest) > 1 {
		w.size -= sizeOf(w.latest[0])
		w.latest[0] = nil
		w.latest = w.latest[1:]
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// sizeOf is about how many bytes the rows of a run take.
func sizeOf(run []report.Row) (n int) {
	const ofRow, ofCall = 1 << 10, 1 << 8
	for i := range run {
		n += ofRow + len(run[i].Reason)
		for j := range run[i].Calls {
			c := &run[i].Calls[j]
			n += ofCall + len(c.Name) + len(c.Arguments) + len(c.Output)
		}
	}
	return n
}

// close is the gate.
func (w *watcher) close() error {
	switch {
	case w.sum.Runs == 0:
		w.say("no runs: %s arrived, and none is known as an agent's, a tool call's or a model call's", report.Number(w.spans, "span"))
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

// page serves the latest runs, and at /changes?after=N how many runs have closed, once that is more than N. It answers
// to numbers and localhost only, so that no other site's name can be made to lead here.
func (w *watcher) page(address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(to http.ResponseWriter, _ *http.Request) {
		to.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.mu.Lock()
		shown := slices.Clone(w.latest)
		live := &report.Live{Runs: w.sum.Runs, Address: address}
		w.mu.Unlock()
		slices.Reverse(shown) // the latest first
		rows := slices.Concat(shown...)
		if err := report.HTML(to, rows, report.Options{Gate: w.options.gate, Live: live}); err != nil {
			w.say("the page: %v", err)
		}
	})
	mux.HandleFunc("GET /changes", func(to http.ResponseWriter, r *http.Request) {
		before, _ := strconv.Atoi(r.FormValue("after"))
		fmt.Fprint(to, w.after(r.Context(), before))
	})
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if host != "localhost" && net.ParseIP(strings.Trim(host, "[]")) == nil {
			http.Error(to, "use http://"+address, http.StatusForbidden)
			return
		}
		mux.ServeHTTP(to, r)
	})
}

// after returns how many runs have closed, once that is another number than before, or ctx has ended.
func (w *watcher) after(ctx context.Context, before int) int {
	for {
		w.mu.Lock()
		runs, changed := w.sum.Runs, w.changed
		w.mu.Unlock()
		if runs != before {
			return runs
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return runs
		}
	}
}
