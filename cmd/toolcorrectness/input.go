package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// read calls f with each document of a file, or of standard input if its name is -.
func read(name string, stdin io.Reader, f func(ptrace.Traces) error) error {
	data, err := os.ReadFile(name)
	if name == "-" {
		name = "standard input"
		data, err = io.ReadAll(stdin)
	}
	if err != nil {
		return err
	}
	// An OTLP protobuf request begins with the tag of its first field, 0x0A, which is a line feed to JSON.
	if len(data) > 0 && data[0] != '{' {
		var u ptrace.ProtoUnmarshaler
		if td, err := u.UnmarshalTraces(data); err == nil && td.ResourceSpans().Len() > 0 {
			return f(td)
		}
	}
	return readJSON(name, data, f)
}

// readJSON takes one document after the other, however they are laid out.
func readJSON(name string, data []byte, f func(ptrace.Traces) error) error {
	var u ptrace.JSONUnmarshaler
	d := json.NewDecoder(bytes.NewReader(data))
	at := func() string {
		offset := min(d.InputOffset(), int64(len(data)))
		rest := data[offset:]
		lead := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
		return fmt.Sprintf("%s:%d", name, 1+bytes.Count(data[:int(offset)+lead], []byte("\n")))
	}
	for {
		place := at()
		var document json.RawMessage
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: neither OTLP/JSON nor OTLP protobuf: %w", place, err)
		}
		td, err := u.UnmarshalTraces(document)
		if err != nil {
			return fmt.Errorf("%s: no OTLP traces: %w", place, err)
		}
		if err := f(td); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
}
