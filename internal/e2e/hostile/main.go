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
	"path/filepath"
	"strconv"
	"syscall"
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
	short     bool
	attack    string
	child     bool // this process is the child for the attack
	out       string
	collector string
	seed      uint64
}

func parse(args []string, stderr io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("hostile", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&o.short, "short", false, "the attacks that did most harm, in about a minute")
	flags.StringVar(&o.attack, "attack", "", "the only attack to play; empty: all")
	flags.BoolVar(&o.child, "child", false, "play the attack in this process and print its figure as JSON")
	flags.StringVar(&o.out, "out", "", "where the tables are written as Markdown; empty: nowhere")
	flags.StringVar(&o.collector, "collector", "../../dist/otelcol-tool-correctness", "the collector")
	flags.Uint64Var(&o.seed, "seed", 1, "of the attacks")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.child {
		return o, nil
	}
	var err error
	if o.collector, err = filepath.Abs(o.collector); err != nil {
		return o, err
	}
	if _, err := os.Stat(o.collector); err != nil {
		return o, fmt.Errorf("%w; make build builds it", err)
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
	r := &results{short: o.short, seed: o.seed}
	failed := o.all(ctx, r, stderr)
	if failed == nil && len(r.figures)+len(r.plays)+len(r.raids) == 0 {
		return false, fmt.Errorf("there is no attack %q", o.attack)
	}
	if err := r.print(stdout); err != nil {
		return false, err
	}
	if o.out != "" {
		if err := os.WriteFile(o.out, []byte(r.markdown()), 0o644); err != nil {
			return false, err
		}
	}
	return r.kept(), failed
}

// all plays the attacks that the flags name. An attack without time left is an error, not a kept bound.
func (o options) all(ctx context.Context, r *results, stderr io.Writer) error {
	wanted := func(name string, short bool) bool {
		return (o.attack == "" || o.attack == name) && (short || !o.short)
	}
	for _, p := range plays() {
		if !wanted(p.name, true) {
			continue
		}
		outcome, err := p.run()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.plays = append(r.plays, outcome)
		say(stderr, p.name, outcome.broken)
	}
	for _, a := range attacks() {
		if !wanted(a.name, a.short) {
			continue
		}
		f, err := o.measure(ctx, a)
		if err := errors.Join(err, timeLeft(ctx)); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		r.figures = append(r.figures, f)
		say(stderr, a.name, f.broken())
	}
	for _, raid := range raids() {
		if !wanted(raid.name, raid.short) {
			continue
		}
		outcome, err := o.raid(ctx, raid)
		if err := errors.Join(err, timeLeft(ctx)); err != nil {
			return fmt.Errorf("%s: %w", raid.name, err)
		}
		r.raids = append(r.raids, outcome)
		say(stderr, raid.name, outcome.broken)
	}
	return nil
}

func timeLeft(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("all attacks together may take %s, and those from here on were not measured", bound)
	}
	return nil
}

func say(w io.Writer, name string, broken []string) {
	for _, b := range broken {
		fmt.Fprintf(w, "%s: %s\n", name, b)
	}
	if len(broken) == 0 && open[name] != "" {
		fmt.Fprintf(w, "%s keeps its bounds, and is marked as open in bounds.go\n", name)
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
	var complaint beginning
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
		f.Fatal = fmt.Sprintf("the process ended: %v: %s", err, complaint.first())
	default:
		err = json.Unmarshal(out, &f)
		return f, err
	}
	p := newPlan(o.seed) // the child could not say what it sent
	a.plan(p)
	f.Bytes, f.Requests = p.bytes, len(p.requests)
	return f, nil
}

func printFigure(w io.Writer, f figure) error { return json.NewEncoder(w).Encode(f) }
