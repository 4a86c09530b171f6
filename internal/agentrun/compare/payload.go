package compare

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A payload that is compared with many others is read once, and its digest is small. Decoded arguments take up to eight
// times the memory of their text, and a digest takes 32 bytes. All comparisons with a digest take the same time. So n
// payloads of b bytes cost n comparisons and one walk over b bytes.

// Payload is a payload that is compared with others. Its content is read at the first comparison with one that is written
// differently.
type Payload struct {
	digest scoring.Digest
	read   bool
}

// Digest is the digest of p, which must be the same payload each time. The content of p is captured.
func (d *Payload) Digest(p scoring.Payload, w *Work) scoring.Digest {
	if !d.read {
		v, _ := p.Value()
		d.digest, d.read = v.Digest(), true
		w.Read(p.Size())
	}
	return d.digest
}

// EqualPayloads reports whether two payloads have the same content. Both must be captured; x and y keep what is known about
// them.
func EqualPayloads(a, b scoring.Payload, x, y *Payload, w *Work) bool {
	*w++
	return w.Equal(a, b) || x.Digest(a, w) == y.Digest(b, w)
}

// OnlyMember describes arguments that may have a single member.
type OnlyMember struct {
	// value is the value of the only argument, and text is its number as a text. Both mean nothing unless single is true.
	value, text          scoring.Digest
	name                 string
	single, number, read bool
	// object: the value is a text that begins like an object.
	object bool
}

// Of describes p, which must be the same payload in each call.
func (o *OnlyMember) Of(p scoring.Payload, w *Work) *OnlyMember {
	if o.read {
		return o
	}
	o.read = true
	w.Read(p.Size())
	object, _ := p.Value()
	if object.Kind() != scoring.Object || object.Len() != 1 {
		return o
	}
	for name, member := range object.Members() {
		o.single, o.value, o.name = true, member.Digest(), name
		o.object = member.Kind() == scoring.String && IsBraced(member.Text())
		if member.Kind() == scoring.Number {
			o.number, o.text = true, scoring.StringValue(member.Lexeme()).Digest()
		}
	}
	return o
}

// Is reports whether an unnamed argument is the value of the only member. A text may represent any value.
func (o *OnlyMember) Is(bare scoring.Digest) bool {
	return o.single && (bare == o.value || o.number && bare == o.text)
}

// IsBraced reports whether a text begins like an object.
func IsBraced(text string) bool { return strings.HasPrefix(text, "{") }

// HasObjectText reports whether there may be a text in p that begins like an object. The brace may be escaped.
func (w *Work) HasObjectText(p scoring.Payload) bool {
	w.Read(p.Size())
	return p.Look(hasObjectText)
}

func hasObjectText(json string) bool {
	return strings.Contains(json, `"{`) || strings.Contains(json, `"\u007`)
}

// IsTextOf reports whether the arguments p may be the text of the only member, without its name and read as an object. They
// are not if they have the member: with the same text and perhaps others, or alone and with what the text says.
func (o *OnlyMember) IsTextOf(p scoring.Payload, w *Work) bool {
	if !o.object {
		return false
	}
	w.Read(p.Size())
	arguments, _ := p.Value()
	member, named := arguments.Member(o.name)
	return arguments.Kind() == scoring.Object && (!named ||
		member.Digest() != o.value && (arguments.Len() > 1 || member.Kind() == scoring.String))
}
