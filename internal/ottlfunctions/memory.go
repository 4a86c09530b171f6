package ottlfunctions

import (
	"context"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
)

const (
	// longText is the size in bytes from which the result for a text is remembered.
	longText = 256
	// mostAnswers is how many results are remembered. A sender of more different texts only slows its own request.
	mostAnswers = 1 << 12
)

// memory has the results of functions for long texts.
type memory struct{ answers map[asked]answer }

// asked is a call of a function in a condition, and the text that it reads.
type asked struct {
	of   any // a function
	text string
}

type answer struct {
	value any
	err   error
}

type memoryKey struct{}

// Remember returns a context for evaluating conditions on many spans, one after the other. The result of a function for a
// long text is remembered for the next span with that text, usually one of the same resource. The context also remembers the
// index of a resource's attributes: see [ottlattributes.Keep]. The context is for one goroutine at a time. The caller must
// not keep it longer than the spans.
func Remember(ctx context.Context) context.Context {
	ctx = ottlattributes.Keep(ctx)
	return context.WithValue(ctx, memoryKey{}, new(memory))
}

// Remembered is how many results a context remembers.
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
