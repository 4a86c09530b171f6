package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

const (
	// bound is how long all attacks may take together.
	bound = 10 * time.Minute
	// childBound is how long one attack may take.
	childBound = 45 * time.Second
	// tries is how often an attack is measured that breaks a bound by little.
	tries = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	kept, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
	}
	if err != nil || !kept {
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	short  bool
	attack string
	child  bool // this process is the child for the attack
	seed   uint64
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("hostile", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.short, "short", false, "the attacks that did most harm, in about a minute")
	flags.StringVar(&o.attack, "attack", "", "the only attack to play; empty: all")
	flags.BoolVar(&o.child, "child", false, "play the attack in this process and print its figure as JSON")
	flags.Uint64Var(&o.seed, "seed", 1, "of the attacks")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (kept bool, err error) {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	if o.child {
		return true, child(o.attack, o.seed, stdout)
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	tw := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(columns, "\t"))
	kept = true
	measured := 0
	for _, a := range attacks() {
		if o.attack != "" && o.attack != a.name || o.short && !a.short {
			continue
		}
		f, err := o.measure(ctx, a)
		if err != nil {
			return false, fmt.Errorf("%s: %w", a.name, err)
		}
		if ctx.Err() != nil {
			return false, fmt.Errorf("all attacks together may take %s, and those from %s on were not measured", bound, a.name)
		}
		for _, b := range f.broken() {
			kept = false
			fmt.Fprintf(stderr, "%s (%s): %s\n", a.name, a.does, b)
		}
		measured++
		fmt.Fprintln(tw, strings.Join(f.row(), "\t"))
	}
	if measured == 0 {
		return false, fmt.Errorf("there is no attack %q", o.attack)
	}
	return kept, tw.Flush()
}

var columns = []string{"attack", "sent kB", "p99", "max", "late", "alive MiB", "lost", "changed", "partial", "shutdown", "busy", "bounds"}

func (f figure) row() []string {
	bounds := "kept"
	if len(f.broken()) > 0 {
		bounds = "BROKEN"
	}
	return []string{
		f.Attack, number(f.Bytes / 1000), ms(f.P99).String(), ms(f.Max).String(), ms(f.Delay).String(), number(int(f.Live >> 20)),
		number(f.Lost), number(f.Changed), number(f.Partial), ms(f.Shutdown).String(), fmt.Sprintf("%.1f", f.Busy), bounds,
	}
}

// measure plays an attack in a child, again if a bound is broken by little. The best try counts.
func (o options) measure(ctx context.Context, a attack) (best figure, err error) {
	for try := range tries {
		f, err := o.inChild(ctx, a)
		if err != nil {
			return f, err
		}
		if try == 0 || len(f.broken()) < len(best.broken()) {
			best = f
		}
		if len(f.broken()) == 0 || f.hopeless() || ctx.Err() != nil {
			break
		}
	}
	return best, nil
}

// inChild plays an attack in a process of its own.
func (o options) inChild(ctx context.Context, a attack) (figure, error) {
	ctx, cancel := context.WithTimeout(ctx, childBound)
	defer cancel()
	self, err := os.Executable()
	if err != nil {
		return figure{}, err
	}
	cmd := exec.CommandContext(ctx, self, "-child", "-attack", a.name, "-seed", strconv.FormatUint(o.seed, 10))
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	f := figure{Attack: a.name}
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		f.Fatal = fmt.Sprintf("it was not over after %s", childBound)
	case errors.As(err, &ended) && ended.ExitCode() == outOfMemory:
		f.Fatal = fmt.Sprintf("more than %d MiB were alive, or %d in all", mostLive>>20, mostHeap>>20)
	case err != nil:
		line, _, _ := strings.Cut(strings.TrimSpace(complaint.String()), "\n") // where Go says why
		f.Fatal = fmt.Sprintf("the process ended: %v: %s", err, line)
	default:
		err = json.Unmarshal(out, &f)
		return f, err
	}
	p := newPlan(o.seed) // the child could not say what it sent
	a.plan(p)
	f.Bytes, f.Requests = p.bytes, len(p.requests)
	return f, nil
}
