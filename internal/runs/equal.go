package runs

import (
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxCandidates bounds how many records of one tool one record is compared with.
const maxCandidates = 16

// An equality compares payloads by content. One that is compared with many others is read once, and becomes a digest. All
// payloads that are read in a trace have at most maxRead bytes: the others count as different, and over is set.
type equality struct {
	read int
	over bool
}

const maxRead = 16 << 20

// digests are what is known of the arguments of a call or a request, as far as it was needed.
type digests struct {
	arguments digest
	only      *onlyMember
}

type digest struct {
	is   scoring.Digest
	done bool
}

func (e *equality) mayRead(p scoring.Payload) bool {
	e.read += p.Size()
	e.over = e.over || e.read > maxRead
	return e.read <= maxRead
}

// of is the digest of p, which must be the same payload each time.
func (e *equality) of(p scoring.Payload, known *digest) (d scoring.Digest, ok bool) {
	if !known.done {
		if !e.mayRead(p) {
			return d, false
		}
		v, _ := p.Value()
		known.is, known.done = v.Digest(), true
	}
	return known.is, true
}

// same reports whether two captured payloads have the same content.
func (e *equality) same(a, b scoring.Payload, x, y *digest) bool {
	if a == b {
		return true
	}
	p, ok := e.of(a, x)
	q, also := e.of(b, y)
	return ok && also && p == q
}

// known are the digests of a call.
func (c *Call) known() *digests {
	if c.digests == nil {
		c.digests = new(digests)
	}
	return c.digests
}

// sameArguments reports whether the arguments of two calls do not contradict each other.
func (e *equality) sameArguments(a, b *Call) bool {
	return !a.Arguments.Captured() || !b.Arguments.Captured() || a.Arguments == b.Arguments ||
		e.same(a.Arguments, b.Arguments, &a.known().arguments, &b.known().arguments)
}

// mayBeOne reports whether the arguments of two calls may be those of one call. An instrumentation may leave out the name of the
// only argument.
func (e *equality) mayBeOne(a, b *Call) bool {
	if e.sameArguments(a, b) {
		return true
	}
	if a.UnnamedArgument == b.UnnamedArgument {
		return false
	}
	if a.UnnamedArgument {
		a, b = b, a
	}
	bare, ok := e.of(b.Arguments, &b.known().arguments)
	return ok && e.only(a.Arguments, a.known()).is(bare)
}

// agree reports whether no argument of two calls has two values. Others may be in one of the two only, because a protocol may
// write arguments with defaults. A text may represent a number or a boolean.
func (e *equality) agree(a, b *Call) bool {
	if e.sameArguments(a, b) {
		return true
	}
	if !e.mayRead(a.Arguments) || !e.mayRead(b.Arguments) {
		return false
	}
	x, _ := a.Arguments.Value()
	y, _ := b.Arguments.Value()
	for name, value := range x.Members() {
		other, both := y.Member(name)
		if both && value.Digest() != other.Digest() && (spelled(value) == "" || spelled(value) != spelled(other)) {
			return false
		}
	}
	return true
}

// spelled is how a value that is no list and no object is written, without quotes.
func spelled(v scoring.Value) string {
	switch v.Kind() {
	case scoring.String:
		return v.Text()
	case scoring.Number:
		return v.Lexeme()
	case scoring.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return ""
}

// onlyMember describes arguments that may have a single member.
type onlyMember struct {
	// value is the value of the only argument, and text is its number as a text. Both mean nothing unless single is true.
	value, text    scoring.Digest
	name           string
	single, number bool
	// object: the value is a text that begins like an object.
	object bool
}

func (e *equality) only(p scoring.Payload, known *digests) *onlyMember {
	if known.only != nil {
		return known.only
	}
	o := new(onlyMember)
	known.only = o
	if !e.mayRead(p) {
		return o
	}
	object, _ := p.Value()
	if object.Kind() != scoring.Object || object.Len() != 1 {
		return o
	}
	for name, member := range object.Members() {
		o.single, o.value, o.name = true, member.Digest(), name
		o.object = member.Kind() == scoring.String && isBraced(member.Text())
		if member.Kind() == scoring.Number {
			o.number, o.text = true, scoring.StringValue(member.Lexeme()).Digest()
		}
	}
	return o
}

// is reports whether an unnamed argument is the value of the only member. A text may represent any value.
func (o *onlyMember) is(bare scoring.Digest) bool {
	return o.single && (bare == o.value || o.number && bare == o.text)
}

func isBraced(text string) bool { return strings.HasPrefix(text, "{") }

// hasObjectText reports whether there may be a text in p that begins like an object. The brace may be escaped.
func hasObjectText(p scoring.Payload) bool {
	return p.Look(func(json string) bool { return strings.Contains(json, `"{`) || strings.Contains(json, `"\u007`) })
}

// isTextOf reports whether the arguments p may be the text of the only member, without its name and read as an object. They
// are not if they have the member: with the same text and perhaps others, or alone and with what the text says.
func (e *equality) isTextOf(p scoring.Payload, o *onlyMember) bool {
	if !o.object || !e.mayRead(p) {
		return false
	}
	arguments, _ := p.Value()
	member, named := arguments.Member(o.name)
	return arguments.Kind() == scoring.Object && (!named ||
		member.Digest() != o.value && (arguments.Len() > 1 || member.Kind() == scoring.String))
}

// isPrefixed reports whether name is bare with the names of servers or functions before it: mcp__docs__search is search.
func isPrefixed(name, bare string) bool {
	for range maxCandidates {
		at := strings.IndexAny(name, "_.:/-")
		if at < 0 {
			return false
		}
		if name = name[at+1:]; toolname.Same(name, bare) {
			return true
		}
	}
	return false
}

// A callIndex finds a call by its ID and its tool, if only one call can have the ID. Case and separators of a name do not count.
type callIndex[P any] struct {
	byID map[string]namedCall[P]
	// more has further calls of an ID, which are of other tools.
	more map[string][]namedCall[P]
}

type namedCall[P any] struct {
	name string
	at   P
}

// find returns the first call with that ID and tool.
func (x *callIndex[P]) find(id, name string) (at P, known bool) {
	if x.byID == nil || !unique(id) {
		return at, false
	}
	first, known := x.byID[id]
	if !known || toolname.Same(first.name, name) {
		return first.at, known
	}
	for _, c := range x.more[id] {
		if toolname.Same(c.name, name) {
			return c.at, true
		}
	}
	return at, false
}

// findOrAdd is find, and adds the call if it is not found. A sender may give all its calls one ID; only the first ones are found.
func (x *callIndex[P]) findOrAdd(id, name string, place P) (at P, known bool) {
	if at, known = x.find(id, name); known || !unique(id) {
		return at, known
	}
	if x.byID == nil {
		x.byID = make(map[string]namedCall[P])
	}
	if _, taken := x.byID[id]; !taken {
		x.byID[id] = namedCall[P]{name, place}
	} else if len(x.more[id]) < maxCandidates {
		if x.more == nil {
			x.more = make(map[string][]namedCall[P])
		}
		x.more[id] = append(x.more[id], namedCall[P]{name, place})
	}
	return at, false
}
