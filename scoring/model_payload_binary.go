package scoring

import (
	"encoding"
	"errors"
	"fmt"
)

var (
	_ encoding.BinaryAppender    = Payload{}
	_ encoding.BinaryUnmarshaler = (*Payload)(nil)
)

// AppendBinary appends p as it is kept in a storage: one byte that says what it is, then its text as it stands. It
// never fails.
func (p Payload) AppendBinary(b []byte) ([]byte, error) {
	return append(append(b, byte(p.form)), p.text...), nil
}

// BinarySize is how many bytes AppendBinary appends.
func (p Payload) BinarySize() int { return 1 + len(p.text) }

// UnmarshalBinary reads what AppendBinary wrote.
func (p *Payload) UnmarshalBinary(data []byte) error {
	if len(data) == 0 {
		return errors.New("a payload takes a byte or more")
	}
	form := payloadForm(data[0])
	if form > tooLarge {
		return fmt.Errorf("a payload is of a form from 0 to %d, got %d", tooLarge, form)
	}
	*p = Payload{form: form, text: string(data[1:])}
	return nil
}
