package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

var errNeither = errors.New("neither OTLP/JSON nor OTLP protobuf")

// read calls f with each request of a file, or of standard input if its name is -.
func read(name string, stdin io.Reader, f func(ptrace.Traces) error) error {
	data, err := os.ReadFile(name)
	if name == "-" {
		name = "standard input"
		data, err = io.ReadAll(stdin)
	}
	if err != nil {
		return err
	}
	if bytes.HasPrefix(data, []byte("\x1f\x8b")) || bytes.HasPrefix(data, []byte("\x28\xb5\x2f\xfd")) {
		return fmt.Errorf("%s: is compressed, decompress it first", name)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // which Windows writes before UTF-8
	requests := readProtobuf(data)
	for _, td := range requests {
		if err := f(td); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if requests != nil {
		return nil
	}
	return readJSON(name, data, f)
}

// readProtobuf reads one request, or several as the file exporter writes them, each behind its length. It returns nil
// if data is neither.
func readProtobuf(data []byte) []ptrace.Traces {
	var u ptrace.ProtoUnmarshaler
	if len(data) == 0 || data[0] == '{' {
		return nil // an OTLP request begins with the tag of its first field, 0x0A, which is a line feed to JSON
	}
	if td, err := u.UnmarshalTraces(data); err == nil && td.ResourceSpans().Len() > 0 {
		return []ptrace.Traces{td}
	}
	var requests []ptrace.Traces
	resources := 0
	for len(data) > 0 {
		if len(data) < 4 {
			return nil
		}
		size := int64(binary.BigEndian.Uint32(data))
		if data = data[4:]; size > int64(len(data)) {
			return nil
		}
		td, err := u.UnmarshalTraces(data[:size])
		if err != nil {
			return nil
		}
		requests = append(requests, td)
		resources += td.ResourceSpans().Len()
		data = data[size:]
	}
	if resources == 0 {
		return nil
	}
	return requests
}

// readJSON takes one document after the other, however they are laid out.
func readJSON(name string, data []byte, f func(ptrace.Traces) error) error {
	d := json.NewDecoder(bytes.NewReader(data))
	place := func(offset int64) string {
		return fmt.Sprintf("%s:%d", name, 1+bytes.Count(data[:min(offset, int64(len(data)))], []byte("\n")))
	}
	for {
		begin := d.InputOffset() + int64(leadingSpace(data[d.InputOffset():]))
		var document json.RawMessage
		err := d.Decode(&document)
		var syntax *json.SyntaxError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s: %w: the document that begins here does not end", place(begin), errNeither)
		case errors.As(err, &syntax):
			return fmt.Errorf("%s: %w: %w", place(syntax.Offset-1), errNeither, err)
		case err != nil:
			return fmt.Errorf("%s: %w", place(begin), err)
		}
		td, err := readDocument(document)
		if err != nil {
			return fmt.Errorf("%s: %w", place(begin), err)
		}
		if err := f(td); err != nil {
			return fmt.Errorf("%s: %w", place(begin), err)
		}
	}
}

// readDocument reads a request. One for metrics or logs, which the file exporter may write into the same file, has
// no spans.
func readDocument(document []byte) (ptrace.Traces, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(document, &keys); err != nil || keys == nil {
		return ptrace.Traces{}, fmt.Errorf("%w: a request is a JSON object", errNeither)
	}
	known := len(keys) == 0
	for _, key := range []string{"resourceSpans", "resource_spans", "resourceMetrics", "resourceLogs", "resourceProfiles"} {
		_, has := keys[key]
		known = known || has
	}
	if !known {
		return ptrace.Traces{}, errors.New("no OTLP traces: the document has no resourceSpans")
	}
	var u ptrace.JSONUnmarshaler
	td, err := u.UnmarshalTraces(document)
	if err != nil {
		// The decoder quotes what stands around the fault, which is private and says no more.
		problem, _, _ := strings.Cut(err.Error(), ", error found in")
		return ptrace.Traces{}, errors.New("no OTLP traces: " + problem)
	}
	return td, nil
}

func leadingSpace(data []byte) int { return len(data) - len(bytes.TrimLeft(data, " \t\r\n")) }
