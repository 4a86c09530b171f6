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

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/correlate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/verdictmetrics"
)

// tickInterval is how often the processor looks for runs that are due. It adds at most that much to a run's wait.
const tickInterval = 100 * time.Millisecond

// abortTimeout is how long an attempt to deliver has to end after it was aborted.
const abortTimeout = time.Second

// errBacklog is retryable: the caller keeps its spans and comes again.
var errBacklog = errors.New("judged runs wait for the next consumer up to the memory limit; no more spans are taken until it accepts them")

// Processor judges agent runs. See the package comment for the way of a span.
type Processor struct {
	set         Settings
	run         tracebuffer.Settings // set.Run with its hooks
	next        consumer.Traces
	logger      *zap.Logger
	telemetry   *metadata.TelemetryBuilder
	instruments instruments
	verdicts    *verdictmetrics.Recorder // guarded by ticking
	observe     func(evaluate.Report)
	// read is the set of expectations that was read last, and rules the one that runs are judged by. Ticking guards rules, and
	// the evaluator.
	read      atomic.Pointer[readRules]
	rules     *readRules
	evaluator *evaluate.Evaluator

	// journal is nil without a storage. host is told when the storage fails, and ailing says that it does.
	journal        *journal.Journal
	host           component.Host
	storageFailing atomic.Bool
	// reloadFailing says that expectations in files are wrong.
	reloadFailing atomic.Bool
	// began is when the processor began without knowing what there was before; zero where it knows.
	began time.Time

	clock     clock
	processes *lookup.Processes
	agentic   lookup.AgenticFilter
	parents   lookup.ParentCache
	callIDs   *lookup.CallIDIndex
	mcpSpans  mcpSpans
	shards    []shard      // a power of two
	size      atomic.Int64 // what all shards keep alive, in bytes
	open      atomic.Int64 // the open runs of all shards
	// origins is what the resources and scopes of held spans take whose runs are open, in bytes.
	origins atomic.Int64
	// waiting is how many spans are held, wherever they are.
	waiting atomic.Int64
	// remembered is what is left of closed traces in the shards, in bytes: see [agentrun.Buffer.Remembered].
	remembered atomic.Int64

	// intake is held for reading while anchors are put into shards. Shutdown takes it to close the intake.
	intake sync.RWMutex
	closed bool // guarded by intake

	// closedQueue is what closed outside of a turn and waits for one.
	closedQueue struct {
		mu    sync.Mutex
		batch agentrun.ClosedBatch
		// origins is what the origins of the closed batch take that no other held span uses, in bytes.
		origins int64
	}
	wake chan struct{}
	// undelivered is the size of held spans that have been taken out of the shards and not been accepted by next.
	undelivered atomic.Int64
	// correlatorSize is the size of what the correlator has, and summarySize of its summaries of runs; expectSteps says that
	// a model call came which may be a step of a run.
	correlatorSize, summarySize atomic.Int64
	expectSteps                 atomic.Bool

	// ticking is held by the goroutine that closes and releases. It guards the correlator, which has closed runs that may be
	// parts of longer ones, the backlog, and the release batches, which are judged and not yet accepted.
	ticking        sync.Mutex
	correlator     *correlate.Correlator
	releaseBatches []*releasebatch.Batch
	// backlog is what has closed and is not judged yet, and closing what its origins take that no other held span uses, in
	// bytes.
	backlog agentrun.ClosedBatch
	closing int64

	// stop ends the loop and the waiting between attempts to deliver, abort the attempt under way.
	stop, abort context.CancelFunc
	done        sync.WaitGroup
}

var _ consumer.Traces = (*Processor)(nil)
