package main

import (
	"context"
	"io"
	"net"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// relayed says in the environment that this process is a collector.
const relayed = "BENCH_E2E_RELAY"

// TestMain makes a collector of this binary, which hands on what it gets, so that the tests need no build of a real one.
func TestMain(m *testing.M) {
	if os.Getenv(relayed) == "" {
		os.Exit(m.Run())
	}
	if err := relay(os.Args[len(os.Args)-1]); err != nil {
		panic(err)
	}
}

var endpoints = regexp.MustCompile(`endpoint: "([^"]*)"`)

func relay(config string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	found := endpoints.FindAllStringSubmatch(string(text), -1)
	conn, err := grpc.NewClient(found[1][1], grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{})))
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", found[0][1])
	if err != nil {
		return err
	}
	server := receiver(func(ctx context.Context, request []byte) error { return deliver(ctx, conn, request) })
	context.AfterFunc(ctx, server.GracefulStop)
	return server.Serve(l)
}

// relays are options of a small run through a relay.
func relays(t *testing.T) options {
	t.Helper()
	t.Setenv(relayed, "yes")
	o, err := parse([]string{"-collector", os.Args[0], "-rounds", "1", "-wait", "10ms"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestARoundIsMeasured(t *testing.T) {
	load := workload.Mixed.Make(5000, 1)
	got, err := relays(t).play(t.Context(), cases(0)[0], load)
	if err != nil {
		t.Fatal(err)
	}
	if got.in <= 0 || got.out < got.in || got.peak < 1<<20 {
		t.Errorf("a round cost %+v, which cannot be", got)
	}
	printed := table(load, [][]cost{{got}, {got}, {got}, {got}})
	for _, c := range cases(0) {
		if !strings.Contains(printed, "| "+c.name+" |") {
			t.Errorf("the table lacks %s", c.name)
		}
	}
}

func TestACollectorWithoutVerdictsFails(t *testing.T) {
	ours := cases(time.Millisecond)[1]
	_, err := relays(t).play(t.Context(), ours, workload.Agent8.Make(80, 1))
	if err == nil || !strings.Contains(err.Error(), "of 10 runs 0 have a score") {
		t.Errorf("runs without a score: %v", err)
	}
}

func TestACollectorThatDoesNotStartFails(t *testing.T) {
	o := relays(t)
	t.Setenv(relayed, "")
	o.collector = "/bin/false"
	if _, err := o.play(t.Context(), cases(0)[0], workload.Mixed.Make(20, 1)); err == nil {
		t.Error("a collector that ends at its start is no fault")
	}
}

func TestTheSinkFindsFaults(t *testing.T) {
	load := workload.Agent8.Make(2000, 1)
	for _, tc := range []struct {
		name     string
		requests [][]byte
		want     string
		reason   string
	}{
		{"all", load.Requests, "", "nothing is wrong"},
		{"lost", load.Requests[1:], "spans were acknowledged", "a request is missing"},
		{"twice", append(load.Requests[:1:1], load.Requests...), "spans were acknowledged", "a request came twice"},
		{"others", workload.Agent8.Make(2000, 2).Requests, "other ones", "spans have other ids"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &sink{want: load, all: make(chan struct{})}
			for _, r := range tc.requests {
				if err := s.take(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			err := s.check(false)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q: %s", err, tc.want, tc.reason)
			}
		})
	}
}

func TestUnusableOptionsAreRefused(t *testing.T) {
	for _, tc := range []struct {
		args   []string
		reason string
	}{
		{nil, "there is no collector"},
		{[]string{"-collector", "x", "-rounds", "0"}, "there would be no median"},
		{[]string{"-collector", "x", "-senders", "0"}, "nothing would be sent"},
	} {
		if err := run(t.Context(), tc.args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v is taken: %s", tc.args, tc.reason)
		}
	}
}
