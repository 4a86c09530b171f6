package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// commands runs a program and returns what it wrote to standard output.
type commands func(args ...string) (string, error)

// shell runs commands in a folder, with a version of Go or, if none is given, with the installed one. When ctx ends, the
// command under way is killed.
func shell(ctx context.Context, dir, golang string) commands {
	return func(args ...string) (string, error) {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOWORK=off")
		if golang != "" {
			c.Env = append(c.Env, "GOTOOLCHAIN=go"+golang)
		}
		var faults strings.Builder
		c.Stderr = &faults
		out, err := c.Output()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if _, failed := errors.AsType[*exec.ExitError](err); failed {
			err = &commandError{strings.Join(args, " "), string(out) + faults.String()}
		}
		return string(out), err
	}
}

// A commandError is of a command that ran and failed.
type commandError struct{ command, output string }

// errorLine matches the lines with errors: of the compiler and vet, of tests, and of the go command.
var errorLine = regexp.MustCompile(`(?m)^(\S+\.go:\d+.*|vet: .*|--- FAIL: .*|go: [^d].*)$`)

// Error has a few lines of the output.
func (e *commandError) Error() string {
	const few = 3
	lines := errorLine.FindAllString(e.output, few)
	if len(lines) == 0 {
		all := strings.Split(strings.TrimSpace(e.output), "\n")
		lines = all[len(all)-1:]
	}
	return e.command + ": " + strings.Join(lines, "; ")
}

// proxyOnly is a GOPROXY without the entry that has the go command ask version control itself.
func proxyOnly(proxy string) string {
	for _, end := range []string{",direct", "|direct"} {
		proxy = strings.TrimSuffix(proxy, end)
	}
	return proxy
}

// copyCheckout copies the files of a checkout that git knows or would add, as they are now.
func copyCheckout(run commands, from, to string) error {
	listed, err := run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(listed, "\x00") {
		content, err := os.ReadFile(filepath.Join(from, name))
		if name == "" || errors.Is(err, os.ErrNotExist) { // git still knows what was removed
			continue
		}
		if err != nil {
			return fmt.Errorf("copying the checkout: %w", err)
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
