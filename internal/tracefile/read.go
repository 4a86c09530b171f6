package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// errUnknown is for content of no known form.
var errUnknown = errors.New("no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo)")

var (
	errOther  = fmt.Errorf("%w: the document has none of the keys that they have", errUnknown)
	errMiddle = fmt.Errorf("%w: it ends in the middle of a message", errUnknown)
	errEnds   = fmt.Errorf("%w: the document that begins here does not end", errUnknown)
)

// mostMessage bounds a protobuf message, which has to be in memory as a whole. A length beyond it is taken for garbage.
const mostMessage = 1 << 30

// Read yields the traces of each document of a file, and a fault for each part that cannot be read. Reading goes on behind a fault. The
// name is that of the file, for faults.
func Read(name string, r io.Reader) iter.Seq2[ptrace.Traces, error] {
	return func(yield func(ptrace.Traces, error) bool) { (&file{name, yield}).read(r) }
}

// A file is one that is read. Its methods report whether the caller wants more of it.
type file struct {
	name  string
	yield func(ptrace.Traces, error) bool
}

func (f *file) read(r io.Reader) bool {
	plain, err := decompressed(bufio.NewReaderSize(r, 1<<20))
	if err != nil {
		return f.unreadable(err)
	}
	defer plain.Close()
	b := bufio.NewReaderSize(plain, 1<<20)
	if bom, err := b.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" { // which Windows writes before UTF-8
		_, _ = b.Discard(len(bom)) // they are there
	}
	head, err := b.Peek(512)
	switch {
	case len(head) == 0:
		return f.unreadable(err)
	case !looksBinary(head):
		return f.readJSON(b)
	case head[0] != '\n':
		return f.readMessages(b)
	}
	data, err := io.ReadAll(io.LimitReader(b, mostMessage)) // one request, because a length of this beginning would be 160 MiB
	if err != nil {
		return f.unreadable(err)
	}
	return f.message(data)
}

// fault says where what is wrong begins: in the file, and at a line from 1; 0 in a file without lines.
func (f *file) fault(line int, err error) bool {
	place := f.name
	if line > 0 {
		place += fmt.Sprint(":", line)
	}
	return f.yield(ptrace.Traces{}, fmt.Errorf("%s: %w", place, err))
}

// unreadable is for an error of the reader, which ends the file: its compression is damaged, or the disk is.
func (f *file) unreadable(err error) bool {
	return errors.Is(err, io.EOF) || f.fault(0, fmt.Errorf("it cannot be read to its end: %w", err))
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompressed returns a reader of the decompressed content, or of b itself if it is not compressed.
func decompressed(b *bufio.Reader) (io.ReadCloser, error) {
	head, _ := b.Peek(len(zstdMagic)) // fewer bytes have no magic
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, zstdMagic):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return io.NopCloser(b), nil
}

// looksBinary tells protobuf from JSON by its beginning. Every request in protobuf with a span has bytes there that no text has, such as
// the tag of a list of spans, 0x12. What begins as a document stays one, whatever a crash left in it.
func looksBinary(head []byte) bool {
	return head[0] != '{' && head[0] != '[' && bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\r\n", r)
	})
}

// readMessages reads requests in protobuf, each behind its length.
func (f *file) readMessages(b *bufio.Reader) bool {
	for some := false; ; {
		var size uint32
		err := binary.Read(b, binary.BigEndian, &size)
		switch {
		case errors.Is(err, io.EOF) && some:
			return true
		case errors.Is(err, io.EOF): // zeros
			return f.fault(0, errUnknown)
		case err != nil:
			return f.fault(0, errMiddle)
		case size == 0:
			continue
		}
		some = true
		data, err := io.ReadAll(io.LimitReader(b, min(int64(size), mostMessage)))
		switch {
		case err != nil:
			return f.unreadable(err)
		case len(data) < int(size):
			return f.fault(0, errMiddle)
		case !f.message(data):
			return false
		}
	}
}

// message reads one message: protobuf or JSON, perhaps compressed by itself.
func (f *file) message(data []byte) bool {
	plain, err := decompressed(bufio.NewReader(bytes.NewReader(data)))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(plain, mostMessage))
		_ = plain.Close() // it was read
	}
	if err != nil {
		return f.unreadable(err)
	}
	if text := bytes.TrimSpace(data); bytes.HasPrefix(text, []byte("{")) && !looksBinary(data) {
		return f.document(text, 0)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		return f.fault(0, fmt.Errorf("%w: %w", errUnknown, err))
	}
	return f.yield(td, nil)
}
