package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A spanID names one span of the demo.
type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// spanSet holds spans by id.
type spanSet map[spanID]ptrace.Span

// traceFiles holds the spans sent, by the path of their file.
type traceFiles map[string]spanSet

func readAll(pattern string) (traceFiles, error) {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file matches %s; run the demo from the top of the repository", pattern)
	}
	all := traceFiles{}
	for _, p := range paths {
		spans, err := readFile(p)
		if err != nil {
			return nil, err
		}
		if spans == nil {
			return nil, fmt.Errorf("%s holds no span", p)
		}
		all[p] = spans
	}
	return all, nil
}

// readFile reads OTLP/JSON, one request a line. A file that is not there yet holds nothing, and so does a last line that is
// still being written.
func readFile(name string) (spanSet, error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var spans spanSet
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			if i == len(lines)-1 {
				break
			}
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		if spans == nil {
			spans = spanSet{}
		}
		spans.add(td)
	}
	return spans, nil
}

func (s spanSet) add(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				s[spanID{span.TraceID(), span.SpanID()}] = span
			}
		}
	}
}

// spans are the ids of all files.
func (f traceFiles) spans() map[spanID]bool {
	all := map[spanID]bool{}
	for _, spans := range f {
		for id := range spans {
			all[id] = true
		}
	}
	return all
}

// names are the files' paths in order.
func (f traceFiles) names() []string { return slices.Sorted(maps.Keys(f)) }

// missingSpans is nil when every span that was sent came out.
func missingSpans(sent map[spanID]bool, got spanSet) error {
	missing := 0
	for id := range sent {
		if _, ok := got[id]; !ok {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d spans have not come out", missing, len(sent))
}
