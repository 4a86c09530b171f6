package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // exporters compress by default
)

// A raid is an attack on the built collector.
type raid struct {
	name, does string
	setup
	short   bool
	limiter bool // a memory_limiter stands before the processor
	storage bool // open runs are stored
	gzip    bool // the attacker compresses its requests
	reloads int  // how often the collector reads its configuration again meanwhile
	plan    func(*plan)
	// bomb, if there is one, is sent after the plan: gzip that the receiver has to refuse.
	bomb []byte
}

// A siege is what a raid did.
type siege struct {
	outcome
	sent, decoded     int // bytes, as they were sent and decompressed
	refused           int
	p99, max, delay   time.Duration
	memory            uint64 // the most that the process had, more than before
	lost, changed     int
	unjudged, partial int
	verdicts          int
	written           uint64
	oversized         int
	fatal             string
}

// config is that of the collector.
func (r raid) config(dir, sink string) string {
	processors, limiter, extensions, service, storage := "tool_correctness", "", "", "", ""
	if r.limiter {
		processors = "memory_limiter, tool_correctness"
		limiter = "  memory_limiter: {check_interval: 100ms, limit_mib: 1500, spike_limit_mib: 300}\n"
	}
	if r.storage {
		extensions, service = fmt.Sprintf("extensions: {file_storage: {directory: %q}}\n", dir), "  extensions: [file_storage]\n"
		storage = "storage: file_storage\n"
	}
	section := indent(r.section()+storage, "    ")
	return extensions + "receivers: {otlp: {protocols: {http: {endpoint: RECEIVER}}}}\n" +
		"processors:\n" + limiter + "  tool_correctness:\n" + section +
		fmt.Sprintf("exporters: {otlp_grpc: {endpoint: %q, tls: {insecure: true}}}\n", sink) +
		"service:\n" + service + "  telemetry: {metrics: {level: none}, logs: {level: warn}}\n" +
		fmt.Sprintf("  pipelines: {traces: {receivers: [otlp], processors: [%s], exporters: [otlp_grpc]}}\n", processors)
}

func indent(text, by string) string {
	var b bytes.Buffer
	for line := range bytes.Lines([]byte(text)) {
		b.WriteString(by)
		b.Write(line)
	}
	return b.String()
}

// raid plays a raid in a directory of its own.
func (o options) raid(ctx context.Context, r raid) (s siege, err error) {
	s.outcome = outcome{name: r.name, does: r.does}
	dir, err := os.MkdirTemp("", "hostile-"+r.name+"-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(ctx, childBound)
	defer cancel()
	p := newPlan(o.seed)
	r.plan(p)
	s.decoded = p.bytes
	l := newLedger()
	sink, stop, err := listen(ctx, l)
	if err != nil {
		return s, err
	}
	defer stop()
	c, err := startCollector(ctx, o.collector, dir, r.config(dir, sink))
	if err != nil {
		return s, err
	}
	defer c.remove()
	s.play(ctx, r, p, c, l)
	s.broken = s.check(r)
	return s, nil
}

// play has the victim send, the attacker attack, and the collector end.
func (s *siege) play(ctx context.Context, r raid, p *plan, c *collector, l *ledger) {
	v := &victim{ledger: l, send: func(td ptrace.Traces) error {
		body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		if err != nil {
			return err
		}
		return post(ctx, c.endpoint, body, false)
	}}
	v.start()
	time.Sleep(warmup)
	l.begin()
	before, _ := c.resident()
	wrote := c.written()
	watch := watchProcess(c)
	s.attack(ctx, r, p, c)
	time.Sleep(aftermath)
	v.stop.Store(true)
	f := figure{}
	f.settle(v)
	s.fatal = f.Fatal
	latencies, delays := l.measured()
	s.p99, s.max = quantile(latencies, 0.99), max(quantile(latencies, 1), v.blocked())
	s.delay = max(0, max(quantile(delays, 1), l.oldest())-wait)
	most := watch.stop()
	s.memory = most - min(most, before)
	s.written = c.written() - wrote
	if problem := c.end(); problem != "" {
		s.fatal = problem
	}
	s.lost = l.lost()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.changed, s.partial, s.unjudged, s.verdicts, s.oversized = l.changed, l.partial, l.unjudged, l.verdicts, l.oversized
}

// attack sends what the raid has.
func (s *siege) attack(ctx context.Context, r raid, p *plan, c *collector) {
	began := time.Now()
	for i, request := range p.requests {
		time.Sleep(time.Until(began.Add(request.at)))
		body := request.body
		if r.gzip {
			body = compressed(body)
		}
		s.sent += len(body)
		if post(ctx, c.endpoint, body, r.gzip) != nil {
			s.refused++
		}
		if r.reloads > 0 && i%max(1, len(p.requests)/r.reloads) == 0 {
			_ = c.Reload() // that it has ended is seen at the end
		}
	}
	if r.bomb != nil {
		s.sent += len(r.bomb)
		if post(ctx, c.endpoint, r.bomb, true) != nil {
			s.refused++
		}
	}
}

// check says which bounds are broken. Latencies are of HTTP requests that share two cores with everything else, so that only
// the longest is bounded.
func (s *siege) check(r raid) (broken []string) {
	check := func(kept bool, format string, args ...any) {
		if !kept {
			broken = append(broken, fmt.Sprintf(format, args...))
		}
	}
	if s.fatal != "" {
		broken = append(broken, s.fatal)
	}
	most := mostWithGarbage(s.decoded)
	check(s.verdicts > 0 || s.fatal != "", "no verdict of the victim came: nothing is shown")
	check(s.lost == 0, "%d spans of the victim are lost", s.lost)
	check(s.changed == 0, "%d verdicts of the victim are wrong and call themselves complete", s.changed)
	check(s.unjudged == 0, "%d agents' spans of the victim have no verdict", s.unjudged)
	check(s.memory <= most, "the process took %d MiB more, more than %d", s.memory>>20, most>>20)
	if r.reloads == 0 { // a pipeline that starts again gives no answer
		check(s.max <= mostRoundTrip, "the longest request of the victim took %s, more than %s", ms(s.max), mostRoundTrip)
		check(s.delay <= mostDelay, "a verdict came %s late, more than %s", ms(s.delay), mostDelay)
	}
	check(r.bomb == nil || s.refused > 0, "the bomb was not refused")
	check(!r.storage || s.written <= mostWritten*uint64(s.decoded), "%d bytes were written for %d sent, more than %d times as many", s.written, s.decoded, mostWritten)
	return broken
}

const (
	// mostRoundTrip is the longest that a request of the victim may take, with everything around the processor.
	mostRoundTrip = time.Second
	// mostWritten is how many times what was sent a storage may write.
	mostWritten = 20
)

func post(ctx context.Context, endpoint string, body []byte, zipped bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+endpoint+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if zipped {
		req.Header.Set("Content-Encoding", "gzip")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the collector answers %s", resp.Status)
	}
	return nil
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	return b.Bytes()
}

// server is the next hop: an OTLP receiver with the limits that gRPC has by default.
type server struct {
	ptraceotlp.UnimplementedGRPCServer
	ledger *ledger
}

// Export takes a request of the collector.
func (s *server) Export(_ context.Context, req ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.ledger.take(req.Traces())
	return ptraceotlp.NewExportResponse(), nil
}

func listen(ctx context.Context, l *ledger) (endpoint string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(s, &server{ledger: l})
	go func() { _ = s.Serve(listener) }() // it ends with stop
	return listener.Addr().String(), s.Stop, nil
}

// A processWatch looks at the memory of a process until it is stopped, and ends the process that takes too much.
type processWatch struct {
	most uint64
	halt chan struct{}
	done sync.WaitGroup
}

func watchProcess(c *collector) *processWatch {
	w := &processWatch{halt: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.halt:
				return
			case <-tick.C:
			}
			now, most := c.resident()
			w.most = max(w.most, most)
			if now > mostHeap {
				_ = syscall.Kill(c.PID(), syscall.SIGKILL) // its end is seen by all others
				return
			}
		}
	})
	return w
}

func (w *processWatch) stop() uint64 {
	close(w.halt)
	w.done.Wait()
	return w.most
}
