package processor

import (
	"time"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// Settings are everything that the processor needs to run. The root package makes them from a valid configuration. They are
// not checked again.
type Settings struct {
	// Run says what a run is and what is kept of it, Wait and the timeouts how long it stays open.
	Run                               runs.Options
	Wait, IdleTimeout, PendingTimeout time.Duration
	// MaxPayload is the size, in bytes, over which arguments and outputs count as too large.
	MaxPayload int
	// PartitionBy are attributes of resources. Spans with different values never meet.
	PartitionBy []string
	evaluate.Settings
	// ConversationAttributes are the attributes that name a span's conversation. The first one that the span has counts; if
	// it has none, the dialect's own.
	ConversationAttributes []string
	Limits                 Limits
	// ExpectationSet is that of a configuration without files. A Source replaces it with each set that it reads.
	evaluate.ExpectationSet
	// Source reads expectations from files, every ReloadInterval if that is above 0. Nil: there are none.
	Source         Source
	ReloadInterval time.Duration
	// Storage is the extension in which open runs survive a crash, nil for none. ID is the processor's own, by which the
	// storage knows it.
	Storage *component.ID
	ID      component.ID
	// AgentNames is how many names of agents the metrics of verdicts have. 0: they have none.
	AgentNames int
}

// Limits bound what the processor holds. At a limit, it closes the trace that has been idle longest.
type Limits struct {
	OpenRuns int
	Bytes    int64
}
