package tracebuffer

import (
	"strings"
	"unicode"
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What is compared with many others is read once, and what was read is small. Decoded arguments take up to eight times
// the memory of their text, a digest takes 32 bytes. One comparison with a digest takes as long as any other, so that
// n payloads of b bytes cost n comparisons and one walk over b bytes.

// digested is a payload that is compared with others. What its captured content is equal to is read when it is first
// compared with one that is written differently.
type digested struct {
	digest scoring.Digest
	read   bool
}

// of is the digest of p, which is the same payload each time.
func (d *digested) of(p scoring.Payload, w *work) scoring.Digest {
	if !d.read {
		v, _ := p.Value()
		d.digest, d.read = v.Digest(), true
		w.read(p.Size())
	}
	return d.digest
}

// equalPayloads reports whether two payloads have the same content. Both are captured; x and y are what is known of them.
func equalPayloads(a, b scoring.Payload, x, y *digested, w *work) bool {
	*w++
	return w.equal(a, b) || x.of(a, w) == y.of(b, w)
}

// comparer compares records of calls. One record may be compared with many others, and a sender decides how long names and
// payloads are, so each is read once.
type comparer struct {
	digests map[*payloads]*digestedCall // by address: payloads never change
	tools   map[unique.Handle[string]]string
	work    *work
}

type digestedCall struct{ arguments, output digested }

// known is what is known of the payloads of a call that has some.
func (c *comparer) known(r *pendingCall) *digestedCall {
	known := c.digests[r.payloads]
	if known == nil {
		if c.digests == nil {
			c.digests = make(map[*payloads]*digestedCall)
		}
		known = new(digestedCall)
		c.digests[r.payloads] = known
	}
	return known
}

// sameArguments reports whether the arguments of two calls do not contradict each other.
func (c *comparer) sameArguments(r, o *pendingCall) bool {
	a, b := r.arguments(), o.arguments()
	return !a.Captured() || !b.Captured() || c.work.equal(a, b) ||
		c.known(r).arguments.of(a, c.work) == c.known(o).arguments.of(b, c.work)
}

// sameOutput reports whether the outputs of two calls do not contradict each other.
func (c *comparer) sameOutput(r, o *pendingCall) bool {
	a, b := r.output(), o.output()
	return !a.Captured() || !b.Captured() || c.work.equal(a, b) ||
		c.known(r).output.of(a, c.work) == c.known(o).output.of(b, c.work)
}

// sameTool is [sameTool] of the names of two calls.
func (c *comparer) sameTool(r, o *pendingCall) bool {
	return r.name == o.name || c.toolKey(r.name) == c.toolKey(o.name)
}

func (c *comparer) toolKey(name unique.Handle[string]) string {
	key, known := c.tools[name]
	if !known {
		if c.tools == nil {
			c.tools = make(map[unique.Handle[string]]string)
		}
		key = toolKey(name.Value())
		c.work.read(len(name.Value()))
		c.tools[name] = key
	}
	return key
}

// onlyMember is what is known of arguments that may have a single one.
type onlyMember struct {
	// value is that of the only argument; text is that of its number as a text. Both mean nothing where single is false.
	value, text          scoring.Digest
	single, number, read bool
}

// of is what is known of p, which is the same payload each time.
func (o *onlyMember) of(p scoring.Payload, w *work) *onlyMember {
	if o.read {
		return o
	}
	o.read = true
	w.read(p.Size())
	object, _ := p.Value()
	if object.Kind() != scoring.Object || object.Len() != 1 {
		return o
	}
	for _, member := range object.Members() {
		o.single, o.value = true, member.Digest()
		if member.Kind() == scoring.Number {
			o.number, o.text = true, scoring.StringValue(member.Lexeme()).Digest()
		}
	}
	return o
}

// is reports whether a bare argument is the value of the only member. Text stands for any value.
func (o *onlyMember) is(bare scoring.Digest) bool {
	return o.single && (bare == o.value || o.number && bare == o.text)
}

// name is the name of a call, folded when it is first compared.
type name struct {
	text string
	done bool
}

// of is the folded name, which is the same each time.
func (n *name) of(text string, w *work) string {
	if !n.done {
		n.text, n.done = folded(text), true
		w.read(len(text))
	}
	return n.text
}

// folded is a name without case and separators.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
