package tracefile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
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
func (f *file) readJSON(b *bufio.Reader) bool {
	var d splitter
	for line := 1; ; line++ {
		text, err := b.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return f.unreadable(err)
		}
		if d.depth > 0 && startsWith(text, "resourceSpans") && json.Valid(text) { // the document before was cut off, and this is the next one
			if !f.fault(d.line, errEnds) {
				return false
			}
			d = splitter{}
		}
		switch {
		case !d.add(text, line, f.document):
			return false
		case err == nil:
			continue
		case d.depth > 0:
			return f.fault(d.line, errEnds)
		}
		return true
	}
}

// startsWith reports whether a text is an object with that key first.
func startsWith(text []byte, key string) bool {
	inside, is := bytes.CutPrefix(text, []byte("{"))
	return is && bytes.HasPrefix(bytes.TrimLeft(inside, " \t\r\n"), []byte(`"`+key+`"`))
}

// add takes a line and calls f with every document that ends in it, until f reports false.
func (d *splitter) add(text []byte, line int, f func([]byte, int) bool) bool {
	begin := 0 // of what is not in d.text yet
	for i, c := range text {
		switch {
		case d.depth == 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		case d.depth == 0 && c != '{' && c != '[': // no document; what is wrong with the line is for the decoder to say
			return f(bytes.TrimSpace(text[i:]), line)
		case d.depth == 0:
			begin, d.line, d.depth = i, line, 1
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
			more := f(d.text, d.line)
			if d.text = d.text[:0]; !more {
				return false
			}
		}
	}
	if d.depth > 0 {
		d.text = append(d.text, text[begin:]...)
	}
	return true
}
