package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// steps are what an attempt does, in this order. One that fails ends the attempt.
var steps = [...]struct {
	name string
	do   func(run commands, r release) error
}{
	{"resolves", resolve},
	{"compiles", func(run commands, _ release) error { return only(run("go", "build", "./...")) }},
	{"vet", func(run commands, _ release) error { return only(run("go", "vet", "./...")) }},
	{"tests", func(run commands, _ release) error {
		return only(run("go", "test", "-short", "-timeout=30m", ".", "./internal/acceptance", "./processor"))
	}},
}

func only(_ string, err error) error { return err }

// A row is the result of one attempt.
type row struct {
	release release
	golang  string
	passed  int   // how many steps passed
	err     error // why the next step did not pass
}

// broken reports that all modules could be downloaded, and a later step failed.
func (r row) broken() bool { return r.err != nil && r.passed > 0 }

// attempt does the steps with the commands of a copy.
func attempt(run commands, r release, golang string) row {
	got := row{release: r, golang: golang}
	for _, step := range steps {
		fmt.Fprintf(os.Stderr, "compat: Collector %s, Go %s: %s\n", r, golang, step.name)
		if got.err = step.do(run, r); got.err != nil {
			if failed, ok := errors.AsType[*commandError](got.err); ok {
				fmt.Fprintln(os.Stderr, failed.output)
			}
			return got
		}
		got.passed++
	}
	return got
}

// tryInCopy makes an attempt in a copy of the checkout, and removes the copy.
func tryInCopy(ctx context.Context, r release, golang string) (row, error) {
	dir, err := os.MkdirTemp("", "tool-correctness-compat-")
	if err != nil {
		return row{}, err
	}
	defer os.RemoveAll(dir)
	if err := copyCheckout(shell(ctx, ".", ""), ".", dir); err != nil {
		return row{}, err
	}
	run := shell(ctx, dir, golang)
	if _, err := run("go", "version"); err != nil {
		return row{release: r, golang: golang, err: errors.New("the module proxy does not have this version of Go")}, nil
	}
	got := attempt(run, r, golang)
	return got, ctx.Err()
}

// table is in Markdown. Under it stands why something failed.
func table(rows []row) string {
	var b, notes strings.Builder
	b.WriteString("| Collector | Go ")
	for _, step := range steps {
		b.WriteString("| " + step.name + " ")
	}
	b.WriteString("|\n|---|---" + strings.Repeat("|---", len(steps)) + "|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s ", r.release, r.golang)
		for i := range steps {
			b.WriteString("| " + r.cell(i) + " ")
		}
		b.WriteString("|\n")
		if r.err != nil {
			fmt.Fprintf(&notes, "\n%s with Go %s: %v\n", r.release, r.golang, r.err)
		}
	}
	return b.String() + notes.String()
}

func (r row) cell(step int) string {
	switch {
	case step < r.passed:
		return "yes"
	case step == r.passed:
		return "no"
	default:
		return "–"
	}
}
