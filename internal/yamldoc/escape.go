package yamldoc

import (
	"bytes"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Write writes a document. Characters that are invisible or rearrange others are escaped, and load as they were.
func Write(w io.Writer, document Node) error {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(document.Node); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, err := w.Write(Escaped(b.Bytes()))
	return err
}

// Escaped returns YAML of this package, or JSON, with escapes for characters that are invisible or rearrange others. Such
// characters are only in texts in double quotes. There, \u202e means the same in both languages.
func Escaped(text []byte) []byte { return escaped(text, unicode.MaxRune) }

// Escaping returns a writer of JSON whose texts are [Escaped]. Each call of Write must have whole characters, as an
// encoder of encoding/json writes them.
func Escaping(w io.Writer) io.Writer { return escaping{w} }

type escaping struct{ to io.Writer }

func (e escaping) Write(text []byte) (int, error) {
	if _, err := e.to.Write(Escaped(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// escaped escapes the hidden characters up to most.
func escaped(text []byte, most rune) []byte {
	var to []byte
	from := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r <= most && hidden(r) {
			to = append(to, text[from:at]...)
			for _, unit := range utf16.Encode([]rune{r}) {
				to = fmt.Appendf(to, `\u%04x`, unit)
			}
			from = at + size
		}
		at += size
	}
	if to == nil {
		return text
	}
	return append(to, text[from:]...)
}

// hidden reports whether r has no shape. Line ends and tabs are the layout of a document.
func hidden(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) }
