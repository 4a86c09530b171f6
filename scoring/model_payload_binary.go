package scoring

import (
	"errors"
	"fmt"
)

// AppendBinary appends p in its stored form: one byte for its kind, then its text. It never fails.
func (p Payload) AppendBinary(b []byte) ([]byte, error) {
	return append(append(b, byte(p.form)), p.text...), nil
}

// BinarySize returns how many bytes AppendBinary appends.
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
