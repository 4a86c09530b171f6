package processor

import (
	"context"
	"errors"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
)

// An ExpectationSet is what runs are judged by. It is never changed: a reload makes another one.
type ExpectationSet struct {
	Expectations []Expectation
	// Fingerprint is a short hash of the configuration and of its files, written on every judged span.
	Fingerprint string
	// Warnings are what is allowed and was probably not meant.
	Warnings []string
	// Arguments and Output say which payloads the set compares.
	Arguments, Output bool
}

// A Source reads expectations from files. Read is called by one goroutine at a time.
type Source interface {
	// Read looks at the files. It returns a set if they have changed, and nil if they are those of the last set. It returns
	// [ErrUnsettled] while they are being written, and another error if they are wrong.
	Read(ctx context.Context) (*ExpectationSet, error)
}

// ErrUnsettled says that files have just changed. They are read when they have stayed the same for one interval.
var ErrUnsettled = errors.New("the files have just changed")

// rules are an expectation set, and what is derived from it.
type rules struct {
	ExpectationSet
	conditions conditionIndex
	// failures has, by expectation, how often its condition failed. It is guarded by ticking.
	failures []conditionErrors
	// keyFailures has the same of the keys of datasets. It is guarded by ticking.
	keyFailures []conditionErrors
	// uses says how conditions on calls were used. It is guarded by ticking.
	uses     map[*callcondition.Condition]*conditionUse
	caseUses map[*Expectation]*conditionUse // of those in datasets
	// since is when the set was read.
	since time.Time
}

func newRules(metrics []Metric, set ExpectationSet, since time.Time) *rules {
	return &rules{
		ExpectationSet: set, conditions: newConditionIndex(metrics, set.Expectations),
		failures: make([]conditionErrors, len(set.Expectations)), keyFailures: make([]conditionErrors, len(set.Expectations)), since: since,
		uses: map[*callcondition.Condition]*conditionUse{}, caseUses: map[*Expectation]*conditionUse{},
	}
}

// adopt makes the set that was read last the one that runs are judged by. A run is judged by one set alone, because this
// is called between two runs. The caller holds ticking.
func (p *Processor) adopt() {
	read := p.read.Load()
	if read == p.rules {
		return
	}
	if p.rules != nil {
		p.logFailures()
	}
	p.rules = read
	p.instruments.size(&read.ExpectationSet)
	for _, l := range p.instruments.labels {
		clear(l.kinds) // the names of expectations bound them
		l.last = nil
	}
}
