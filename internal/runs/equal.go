package runs

import (
	"cmp"
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

func (e *equality) mayRead(p scoring.Payload) bool {
	e.read += p.Size()
	e.over = e.over || e.read > maxRead
	return e.read <= maxRead
}

// digest is that of the arguments of c, or nil if too much was read.
func (e *equality) digest(c *Call) *scoring.Digest {
	if c.digest == nil && e.mayRead(c.Arguments) {
		v, _ := c.Arguments.Value()
		d := v.Digest()
		c.digest = &d
	}
	return c.digest
}

// sameArguments reports whether the arguments of two calls do not contradict each other.
func (e *equality) sameArguments(a, b *Call) bool {
	if !a.Arguments.Captured() || !b.Arguments.Captured() || a.Arguments == b.Arguments {
		return true
	}
	x, y := e.digest(a), e.digest(b)
	return x != nil && y != nil && *x == *y
}

// mayBeOne reports whether the arguments of two calls may be those of one call. An instrumentation may leave out the name of the
// only argument. A text may represent its number.
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
	bare := e.digest(b)
	if bare == nil || !e.mayRead(a.Arguments) {
		return false
	}
	named, _ := a.Arguments.Value()
	same := false
	for _, v := range named.Members() {
		same = named.Len() == 1 && (v.Digest() == *bare || v.Kind() == scoring.Number && scoring.StringValue(v.Lexeme()).Digest() == *bare)
	}
	return same
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
	if v.Kind() == scoring.Bool {
		return strconv.FormatBool(v.Bool())
	}
	return cmp.Or(v.Text(), v.Lexeme())
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

// maxSpellings bounds how many names of calls and of tools are compared at once.
const maxSpellings = 1 << 16

// MayMean reports whether a call may be of a tool whose name it has in another spelling. The span of such a call has lost the case or
// the separators of the name.
func MayMean(calls []Call, tools []scoring.Tool) bool {
	compared := 0
	for i := range calls {
		if !calls[i].NormalizedName {
			continue
		}
		name := toolname.Folded(calls[i].Name)
		for k := range tools {
			for _, pattern := range append([]string{tools[k].Name}, tools[k].Names...) {
				if compared++; compared > maxSpellings {
					return true
				}
				if !scoring.MatchesName(pattern, calls[i].Name) && scoring.MatchesName(foldedPattern(pattern), name) {
					return true
				}
			}
		}
	}
	return false
}

// foldedPattern is a name or pattern without case and separators.
func foldedPattern(pattern string) string {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = toolname.Folded(parts[i])
	}
	return strings.Join(parts, "*")
}

// A callIndex finds a call by its ID and its tool, if only one call can have the ID. Case and separators of a name do not count.
type callIndex[P any] map[callKey]P

// A callKey is the ID of a call and the key of its tool's name.
type callKey struct {
	id   string
	tool uint64
}

func keyOf(id, name string) callKey { return callKey{id, toolname.Key(name)} }

// findOrAdd returns the first call with that ID and tool. If there is none, it adds the call.
func (x *callIndex[P]) findOrAdd(id, name string, place P) (at P, known bool) {
	if !unique(id) {
		return at, false
	}
	key := keyOf(id, name)
	if at, known = (*x)[key]; !known {
		put(x, key, place)
	}
	return at, known
}
