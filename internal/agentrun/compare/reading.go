package compare

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// MaxValues bounds how many values of payloads [Calls] read, if payloads are written differently. A long text is one value.
const MaxValues = 1 << 16

// A reading is how many values may still be read. over is set if a payload had more. Each shard has one, so it is small.
type reading struct {
	left int32
	over bool
}

// mayRead reports whether p has no more values than may be read, and counts them.
func (r *reading) mayRead(p scoring.Payload) bool {
	values := 0
	p.Look(func(text string) bool {
		if values = 1; p != scoring.Text(text) {
			values = valuesIn(text, int(r.left))
		}
		return true
	})
	if values > int(r.left) {
		r.left, r.over = 0, true
		return false
	}
	r.left -= int32(values)
	return true
}

// valuesIn is at least the number of values in a JSON text, or more than most. Each value is the first, or follows a comma or an
// opening bracket.
func valuesIn(text string, most int) (n int) {
	n = 1
	quoted := false
	for i := 0; i < len(text) && n <= most; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == ',' || c == '[' || c == '{':
			n++
		}
	}
	return n
}
