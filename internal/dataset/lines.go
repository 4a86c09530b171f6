package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 1 << 20

// ErrTooLong says that a line is longer than [MaxLine].
var ErrTooLong = errors.New("the line is longer than 1 MiB")

// Lines calls read with each line that is not blank, counted from 1, without its end and without a byte order mark. The text
// is valid until the next call. whole is false for a last line without an end, which may be half of one. A line that is too
// long has no text and err is [ErrTooLong]. Lines ends with the first error of read or r.
func Lines(r io.Reader, read func(line int, text []byte, whole bool, err error) error) error {
	b := bufio.NewReaderSize(r, MaxLine+2) // CR and LF
	for line := 1; ; line++ {
		text, err := b.ReadSlice('\n')
		var tooLong error
		for errors.Is(err, bufio.ErrBufferFull) {
			tooLong = ErrTooLong
			text, err = b.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := bytes.HasSuffix(text, []byte("\n"))
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		}
		if text = bytes.TrimSpace(text); tooLong != nil {
			text = nil
		}
		if len(text) > 0 || tooLong != nil {
			if failed := read(line, text, whole, tooLong); failed != nil {
				return failed
			}
		}
		if err != nil {
			return nil
		}
	}
}
