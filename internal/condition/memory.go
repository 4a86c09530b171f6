package condition

import "context"

const (
	// longText is from how many bytes on a text is worth remembering what a function says of it.
	longText = 256
	// mostAnswers is how many answers are remembered. Texts that differ are paid for by who sends them.
	mostAnswers = 1 << 12
)

// memory is what functions said of long texts.
type memory struct{ answers map[asked]answer }

// asked is a place in a condition, and the text that the function there reads.
type asked struct {
	of   *function
	text string
}

type answer struct {
	value any
	err   error
}

type memoryKey struct{}

// Remember is a context in which conditions are asked of many spans, one after the other: what a function says of a long
// text is remembered for the next span with that text, mostly one of the same resource. It is for one goroutine at a time,
// and not to be kept for longer than the spans are.
func Remember(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, new(memory))
}

// Remembered is how many answers are remembered in a context.
func Remembered(ctx context.Context) int {
	if m := memoryOf(ctx); m != nil {
		return len(m.answers)
	}
	return 0
}

func memoryOf(ctx context.Context) *memory {
	m, _ := ctx.Value(memoryKey{}).(*memory)
	return m
}

func (m *memory) note(key asked, a answer) {
	if m.answers == nil || len(m.answers) >= mostAnswers {
		m.answers = make(map[asked]answer)
	}
	m.answers[key] = a
}
