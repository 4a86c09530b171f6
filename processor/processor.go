package processor

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scan"
)

// tickInterval is how often the processor looks for runs that are due. It adds at most that much to a run's wait.
const tickInterval = 100 * time.Millisecond

// abortTimeout is how long an attempt to deliver has to end after it was aborted.
const abortTimeout = time.Second

// errBacklog is retryable: the sender keeps its spans and tries again.
var errBacklog = errors.New("judged runs wait for the next consumer up to the memory limit; no more spans are taken until it accepts them")

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

// Processor judges agent runs. See the package comment for the way of a span.
type Processor struct {
	set     Settings
	read    scan.Settings
	next    consumer.Traces
	logger  *zap.Logger
	metrics *recorder
	observe func(evaluate.Report)
	// latest is the set of expectations that was read last, and rules is the one that judges runs. ticking guards rules and
	// the evaluator.
	latest    atomic.Pointer[readRules]
	rules     *readRules
	evaluator *evaluate.Evaluator

	// journal is nil without a storage. host gets a status when the storage fails, and storageFailing says that it fails.
	journal        *journal.Journal
	host           component.Host
	storageFailing atomic.Bool
	// reloadFault is what is wrong with the expectations in files, nil if nothing is.
	reloadFault atomic.Pointer[string]
	// began is when the processor began, and knowsPast says that a storage had all evidence from before, but for the links of spans
	// whose traces were not known to have agents.
	began     time.Time
	knowsPast bool

	clock   clock
	agentic lookup.AgenticFilter
	parents lookup.ParentCache
	logs    *open.Logs
	opening open.Settings
	// origins is how many bytes the resources and scopes of held spans take, until the spans leave.
	origins atomic.Int64
	// waiting is how many spans are held, wherever they are.
	waiting atomic.Int64
	// undelivered is the size of the logs that were taken out and have not gone back.
	undelivered atomic.Int64

	// intake is held for reading while spans are held. Shutdown takes it to close the intake.
	intake sync.RWMutex
	closed bool // guarded by intake

	// queue has what closed outside of a tick and waits for the next one.
	queue struct {
		mu  sync.Mutex
		all []*examination
	}
	wake chan struct{}

	// ticking is locked by the goroutine that closes, judges and releases. It guards all below.
	ticking sync.Mutex
	// backlog has what closed, until all its spans are accepted and what is left of the logs goes back. The first judged of it are judged,
	// and their spans are leaving, in one batch after another. unjudged is how many spans of runs left without being judged.
	backlog          []*examination
	judged, unjudged int
	leaving          heldspans.Queue
	// pastRecords are the slots of closed traces, from the oldest. owed are closed traces that the storage has not taken yet. It is asked
	// again at retryAt.
	pastRecords []journal.Slot
	owed        [][]byte
	retryAt     time.Time

	// stop ends the loop, and the pause between two attempts to deliver. abort ends the attempt under way.
	stop, abort context.CancelFunc
	done        sync.WaitGroup
}

var _ consumer.Traces = (*Processor)(nil)

// The parts of Limits.Bytes that tables may take. All of them together take less than a quarter; the rest is for runs.
const (
	parentsShare = 32
	agenticShare = 64
	pastShare    = 16
	// backlogShare is kept free of open runs, for closed runs that wait for their delivery.
	backlogShare = 8
)

// openBytes is how many bytes open runs may take, with the tables.
func (p *Processor) openBytes() int64 { return p.set.Limits.Bytes - p.set.Limits.Bytes/backlogShare }

// held is how many bytes open runs and the tables keep alive.
func (p *Processor) held() int64 {
	size, _ := p.logs.Size()
	return size + p.origins.Load() + p.parents.Size() + p.agentic.Size()
}

// Retained is how many bytes the processor keeps alive. A dry run uses it to close runs before there are too many.
func (p *Processor) Retained() int64 { return p.held() + p.undelivered.Load() }

// overLimit reports whether runs have to close early.
func (p *Processor) overLimit() bool {
	_, open := p.logs.Size()
	return p.held() > p.openBytes() || open > int64(p.set.Limits.OpenRuns)
}

// backlogged reports whether the limit is reached because closed runs wait for their delivery.
func (p *Processor) backlogged() bool {
	limit := p.set.Limits.Bytes
	return p.undelivered.Load() > limit/backlogShare && p.Retained() > limit
}

// leave notes that spans are not held any more.
func (p *Processor) leave(held []evidence.Held) { p.origins.Add(-heldspans.Leave(held)) }
