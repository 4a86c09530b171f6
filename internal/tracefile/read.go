package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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
var errUnknown = errors.New("no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo, spans that the SDK for Python prints)")

// ErrOther is for well-formed JSON that has nothing to do with traces.
var ErrOther = fmt.Errorf("%w: the document has none of the keys that they have", errUnknown)

var errMiddle = fmt.Errorf("%w: it ends in the middle of a message", errUnknown)

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

// Read reads a file to its end. It returns an error if the file cannot be read at all, or if Traces does.
func Read(r io.Reader, s Settings) error {
	b := bufio.NewReaderSize(r, 1<<20)
	plain, done, err := decompressed(b)
	if err != nil {
		s.fault(0, err)
		return nil
	}
	defer done()
	b = bufio.NewReaderSize(plain, 1<<20)                                   // which is b if nothing was compressed
	if bom, err := b.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" { // which Windows writes before UTF-8
		_, _ = b.Discard(len(bom)) // they are there
	}
	head, err := b.Peek(512)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
		return nil
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

// unreadable is an error of the reader: of decompression, which is a fault of the file, or of the disk.
func (s Settings) unreadable(err error) error {
	var bad damage
	if errors.As(err, &bad) {
		s.fault(0, err)
		return nil
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

// A damage is an error of decompression.
type damage struct{ error }

// Error says what is wrong.
func (d damage) Error() string { return "what is compressed is damaged: " + d.error.Error() }

// A decompressor marks the errors of another reader.
type decompressor struct{ io.Reader }

// Read is that of the other reader.
func (d decompressor) Read(b []byte) (int, error) {
	n, err := d.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage{err}
	}
	return n, err
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
		return b, done, nil
	}
	if err != nil {
		return nil, done, damage{err}
	}
	return decompressor{r}, done, nil
}

// looksBinary tells protobuf from JSON by its beginning. An OTLP request begins with the tag of its first field, 0x0A, which
// is a line feed in JSON. The bytes after it may be a brace and white space, but no key begins as a message does.
func looksBinary(head []byte) bool {
	if head[0] != '\n' && head[0] != 0 {
		return head[0] < ' ' && head[0] != '\t' && head[0] != '\r'
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	if text[0] != '{' {
		// A text that is no JSON either is reported as such, with its line.
		return head[0] == 0 || !printable(text)
	}
	inside := bytes.TrimLeft(text[1:], " \t\r\n")
	isKey := len(inside) > 1 && inside[0] == '"' && inside[1] >= ' '
	return !(len(inside) == 0 || inside[0] == '}' || isKey)
}

func printable(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\r' && c != '\n' || c >= 0x80 {
			return false
		}
	}
	return true
}

// readMessages reads requests in protobuf, each behind its length.
func (s Settings) readMessages(b *bufio.Reader) error {
	for some := false; ; {
		var size [4]byte
		_, err := io.ReadFull(b, size[:])
		switch {
		case errors.Is(err, io.EOF) && some:
			return nil
		case errors.Is(err, io.EOF): // zeros
			s.fault(0, errUnknown)
			return nil
		case err != nil:
			s.fault(0, errMiddle)
			return nil
		}
		n := int64(binary.BigEndian.Uint32(size[:]))
		if n == 0 {
			continue
		}
		some = true
		data, err := io.ReadAll(io.LimitReader(b, min(n, mostMessage)))
		switch {
		case err != nil:
			return s.unreadable(err)
		case int64(len(data)) < n:
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
	b := bufio.NewReader(bytes.NewReader(data))
	plain, done, err := decompressed(b)
	if err == nil && plain != b {
		data, err = io.ReadAll(io.LimitReader(plain, mostMessage))
	}
	done()
	if err != nil {
		return s.unreadable(err)
	}
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '{' && !looksBinary(data) {
		return s.document(text, 0)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		s.fault(0, fmt.Errorf("%w: %w", errUnknown, err))
		return nil
	}
	return s.Traces(td)
}
