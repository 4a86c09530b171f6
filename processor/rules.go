package processor

import (
	"context"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// A Source reads expectations from files. Read is called by one goroutine at a time.
type Source interface {
	// Read checks the files. It returns a set if they have changed, and nil if they are those of the last set. It returns
	// [evaluate.ErrUnsettled] while they are being written, and another error if they are wrong.
	Read(ctx context.Context) (*evaluate.ExpectationSet, error)
}

// readRules has rules, and the time when they were read.
type readRules struct {
	*evaluate.Rules
	since time.Time
}
