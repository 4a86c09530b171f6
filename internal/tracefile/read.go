package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Fault is a part of a file that cannot be read.
type Fault struct {
	Name string // of the file
	Line int    // where the part begins, from 1; 0 in a file without lines
	Err  error
}

// Error says where and what.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %v", f.Name, f.Err)
	}
	return fmt.Sprintf("%s:%d: %v", f.Name, f.Line, f.Err)
}

// Unwrap is what is wrong.
func (f *Fault) Unwrap() error { return f.Err }

// errUnknown is for content of no known form.
var errUnknown = errors.New("no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo)")

// ErrOther is for well-formed JSON that has nothing to do with traces.
var ErrOther = fmt.Errorf("%w: the document has none of the keys that they have", errUnknown)

var (
	errMiddle = fmt.Errorf("%w: it ends in the middle of a message", errUnknown)
	errEnds   = fmt.Errorf("%w: the document that begins here does not end", errUnknown)
)

// mostMessage bounds a protobuf message, which has to be in memory as a whole. A length beyond it is taken for garbage.
const mostMessage = 1 << 30

// Settings say what to do with what is read.
type Settings struct {
	// Name is that of the file, in faults.
	Name string
	// Traces takes the traces of each document. Its error ends the reading.
	Traces func(ptrace.Traces) error
	// Fault takes what cannot be read.
	Fault func(*Fault)
}

// Read reads a file to its end. It returns an error if Traces does.
func Read(r io.Reader, s Settings) error {
	plain, done, err := decompressed(bufio.NewReaderSize(r, 1<<20))
	if err != nil {
		return s.unreadable(err)
	}
	defer done()
	b := bufio.NewReaderSize(plain, 1<<20)
	if bom, err := b.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" { // which Windows writes before UTF-8
		_, _ = b.Discard(len(bom)) // they are there
	}
	head, err := b.Peek(512)
	switch {
	case len(head) == 0:
		return s.unreadable(err)
	case !looksBinary(head):
		return s.readJSON(b)
	case head[0] != '\n':
		return s.readMessages(b)
	}
	data, err := io.ReadAll(io.LimitReader(b, mostMessage)) // one request, because a length of this beginning would be 160 MiB
	if err != nil {
		return s.unreadable(err)
	}
	return s.message(data)
}

func (s Settings) fault(line int, err error) { s.Fault(&Fault{s.Name, line, err}) }

// unreadable reports an error of the reader, which ends the file: its compression is damaged, or the disk is.
func (s Settings) unreadable(err error) error {
	if !errors.Is(err, io.EOF) {
		s.fault(0, fmt.Errorf("it cannot be read to its end: %w", err))
	}
	return nil
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompressed returns a reader of the decompressed content, or b itself if it is not compressed. The caller must call done after
// the last read.
func decompressed(b *bufio.Reader) (r io.Reader, done func(), err error) {
	done = func() {}
	head, _ := b.Peek(len(zstdMagic)) // fewer bytes have no magic
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		r, err = gzip.NewReader(b)
	case bytes.HasPrefix(head, zstdMagic):
		var z *zstd.Decoder
		if z, err = zstd.NewReader(b, zstd.WithDecoderConcurrency(1)); err == nil {
			r, done = z, z.Close
		}
	default:
		r = b
	}
	return r, done, err
}

// looksBinary tells protobuf from JSON by its beginning. Every request in protobuf with a span has bytes there that no text has, such as
// the tag of a list of spans, 0x12. What begins as a document stays one, whatever a crash left in it.
func looksBinary(head []byte) bool {
	return head[0] != '{' && head[0] != '[' && bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\r\n", r)
	})
}

// readMessages reads requests in protobuf, each behind its length.
func (s Settings) readMessages(b *bufio.Reader) error {
	for some := false; ; {
		var size uint32
		err := binary.Read(b, binary.BigEndian, &size)
		switch {
		case errors.Is(err, io.EOF) && some:
			return nil
		case errors.Is(err, io.EOF): // zeros
			s.fault(0, errUnknown)
			return nil
		case err != nil:
			s.fault(0, errMiddle)
			return nil
		case size == 0:
			continue
		}
		some = true
		data, err := io.ReadAll(io.LimitReader(b, min(int64(size), mostMessage)))
		switch {
		case err != nil:
			return s.unreadable(err)
		case len(data) < int(size):
			s.fault(0, errMiddle)
			return nil
		}
		if err := s.message(data); err != nil {
			return err
		}
	}
}

// message reads one message: protobuf or JSON, perhaps compressed by itself.
func (s Settings) message(data []byte) error {
	plain, done, err := decompressed(bufio.NewReader(bytes.NewReader(data)))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(plain, mostMessage))
	}
	done()
	if err != nil {
		return s.unreadable(err)
	}
	if text := bytes.TrimSpace(data); bytes.HasPrefix(text, []byte("{")) && !looksBinary(data) {
		return s.document(text, 0)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		s.fault(0, fmt.Errorf("%w: %w", errUnknown, err))
		return nil
	}
	return s.Traces(td)
}
