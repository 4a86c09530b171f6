package processor

import (
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// Settings are what the processor runs on. The root package makes them from a valid configuration; nothing in them
// is checked again.
type Settings struct {
	// Run says what a run is, how long it stays open, and what is kept of it.
	Run agentrun.Settings
	evaluate.Settings
	// ConversationAttributes are the attributes that name a span's conversation. The first that is there counts; where
	// none is, the dialect's own.
	ConversationAttributes []string
	Limits                 Limits
	// Expectations are those of a configuration without files. Fingerprint is its hash, and Warnings are about it. With a
	// Source, the set that it reads replaces all three.
	Expectations []evaluate.Expectation
	Fingerprint  string
	Warnings     []string
	// Source reads expectations from files, every ReloadInterval if that is above 0. Nil: there are none.
	Source         Source
	ReloadInterval time.Duration
	// Storage is the extension in which open runs survive a crash, nil for none. ID is the processor's own, by which the
	// storage knows it.
	Storage *component.ID
	ID      component.ID
	// AgentNames is how many names of agents the metrics of verdicts tell apart. 0: they have no names.
	AgentNames int
}

// Limits bound what the processor holds. Reaching one closes the run that has been idle longest.
type Limits struct {
	OpenRuns int
	Bytes    int64
}
