package tracefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A splitter finds where JSON documents begin and end, without understanding them: it counts brackets outside of texts. So a
// document that is broken ends as well, and the next one can be read.
type splitter struct {
	text   []byte // of the document under way, from its beginning
	line   int    // where it begins
	depth  int
	quoted bool // inside of a text
	escape bool // behind a backslash
}

// readJSON reads one document after the other, however they are laid out.
func (s Settings) readJSON(b *bufio.Reader) error {
	var d splitter
	for line := 1; ; line++ {
		text, err := b.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return s.unreadable(err)
		}
		if d.open() && isRequest(text) { // the document before was cut off, and this is the next one
			s.fault(d.line, errEnds)
			d = splitter{}
		}
		if err := d.add(text, line, s.document); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			break
		}
	}
	if !d.open() {
		return nil
	}
	return s.document(d.text, d.line)
}

// open says that a document is under way.
func (d *splitter) open() bool { return len(d.text) > 0 }

// add takes a line and calls f with every document that ends in it.
func (d *splitter) add(text []byte, line int, f func([]byte, int) error) error {
	begin := 0 // of what is not in d.text yet
	for i, c := range text {
		switch {
		case d.depth == 0 && !d.open():
			if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				begin = i + 1
				continue
			}
			if c != '{' && c != '[' { // no document; what is wrong with the line is for the decoder to say
				return f(bytes.TrimSpace(text[i:]), line)
			}
			begin, d.line, d.depth = i, line, 1
			d.text = append(d.text, c)
			begin++
			continue
		case d.escape:
			d.escape = false
		case d.quoted:
			d.escape, d.quoted = c == '\\', c != '"'
		case c == '"':
			d.quoted = true
		case c == '{' || c == '[':
			d.depth++
		case c == '}' || c == ']':
			d.depth--
		}
		if d.depth == 0 {
			d.text = append(d.text, text[begin:i+1]...)
			document, at := d.text, d.line
			*d = splitter{text: document[:0]}
			begin = i + 1
			if err := f(document, at); err != nil {
				return err
			}
		}
	}
	if d.open() {
		d.text = append(d.text, text[begin:]...)
	}
	return nil
}

// isRequest says that a line is a whole document that is known.
func isRequest(line []byte) bool {
	if !bytes.HasPrefix(line, []byte(`{"`)) {
		return false
	}
	var keys map[string]json.RawMessage
	if json.Unmarshal(line, &keys) != nil {
		return false
	}
	known, _ := kindOf(keys)
	return known != nil
}

var errEnds = fmt.Errorf("%w: the document that begins here does not end", errUnknown)

// document reads one document, which begins at a line, or says what is wrong with it.
func (s Settings) document(text []byte, line int) error {
	inside := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("{")), " \t\r\n")
	if bytes.HasPrefix(inside, []byte(`"resourceSpans"`)) { // nearly all do, and looking for the other keys takes as long as reading them
		if td, err := otlp(text); err == nil {
			return s.Traces(td)
		}
	}
	var keys map[string]json.RawMessage
	err := json.Unmarshal(text, &keys)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(text)) && !complete(text):
		s.fault(line, errEnds)
		return nil
	case errors.As(err, &syntax):
		if line > 0 {
			line += bytes.Count(text[:min(max(syntax.Offset-1, 0), int64(len(text)))], []byte("\n"))
		}
		s.fault(line, fmt.Errorf("%w: %w", errUnknown, err))
		return nil
	case err != nil || keys == nil:
		s.fault(line, fmt.Errorf("%w: a request is a JSON object", errUnknown))
		return nil
	}
	read, value := kindOf(keys)
	if read == nil {
		s.fault(line, ErrOther)
		return nil
	}
	td, err := read(text, value)
	if err != nil {
		s.fault(line, err)
		return nil
	}
	return s.Traces(td)
}

// complete reports whether all brackets and texts are closed. If so, the end of the document is not missing.
func complete(text []byte) bool {
	var d splitter
	ended := false
	_ = d.add(text, 1, func([]byte, int) error { // which returns none
		ended = true
		return nil
	})
	return ended && !d.open()
}
