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
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/mcptable"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/selfmetrics"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/turns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/verdictmetrics"
)

// tickInterval is how often the processor looks for runs that are due. It adds at most that much to a run's wait.
const tickInterval = 100 * time.Millisecond

// abortTimeout is how long an attempt to deliver has to end after it was aborted.
const abortTimeout = time.Second

// errBacklog is retryable: the sender keeps its spans and tries again.
var errBacklog = errors.New("judged runs wait for the next consumer up to the memory limit; no more spans are taken until it accepts them")

// Processor judges agent runs. See the package comment for the way of a span.
type Processor struct {
	set       Settings
	run       tracebuffer.Settings // set.Run with its hooks
	next      consumer.Traces
	logger    *zap.Logger
	telemetry *metadata.TelemetryBuilder
	metrics   *selfmetrics.Recorder
	verdicts  *verdictmetrics.Recorder // guarded by ticking
	observe   func(evaluate.Report)
	// read is the set of expectations that was read last, and rules is the one that judges runs. ticking guards rules and
	// the evaluator.
	read      atomic.Pointer[readRules]
	rules     *readRules
	evaluator *evaluate.Evaluator

	// journal is nil without a storage. host gets a status when the storage fails, and storageFailing says that it fails.
	journal        *journal.Journal
	host           component.Host
	storageFailing atomic.Bool
	// reloadFailing says that expectations in files are wrong.
	reloadFailing atomic.Bool
	// began is when the processor began without knowing earlier runs. It is zero if it knows them.
	began time.Time

	clock     clock
	processes *lookup.Processes
	agentic   lookup.AgenticFilter
	parents   lookup.ParentCache
	callIDs   *lookup.CallIDIndex
	mcpSpans  *mcptable.Table
	// stepSenders are the processes of model calls that may be steps of a run.
	stepSenders lookup.StepSenders
	shards      []shard      // a power of two
	size        atomic.Int64 // how many bytes all shards keep alive
	open        atomic.Int64 // the open runs of all shards
	// origins is how many bytes the resources and scopes of held spans take. It counts only the spans of open runs.
	origins atomic.Int64
	// waiting is how many spans are held, wherever they are.
	waiting atomic.Int64
	// remembered is how many bytes of closed traces are left in the shards: see [tracebuffer.Buffer.Remembered].
	remembered atomic.Int64

	// intake is held for reading while anchors are put into shards. Shutdown takes it to close the intake.
	intake sync.RWMutex
	closed bool // guarded by intake

	// closedQueue has the runs that closed outside of a tick and wait for the next one.
	closedQueue struct {
		mu    sync.Mutex
		batch agentrun.ClosedBatch
		// origins is how many bytes those origins take that only spans of the closed batch use.
		origins int64
	}
	wake chan struct{}
	// undelivered is the size of held spans that left the shards and that next has not accepted yet.
	undelivered atomic.Int64
	// correlatorSize is the size of the runs in the correlator, and summarySize that of its summaries.
	correlatorSize, summarySize atomic.Int64

	// ticking is locked by the goroutine that closes and releases. It guards the correlator with its closed runs, the
	// backlog, and the release batches, which are judged and not accepted yet.
	ticking        sync.Mutex
	correlator     *correlate.Correlator
	releaseBatches []*releasebatch.Batch
	// backlog has closed runs that are not judged yet, and leaving the spans of judged runs that are in no release batch yet.
	// closing is how many bytes those origins take that only these spans use.
	backlog agentrun.ClosedBatch
	leaving releasebatch.Builder
	turns   turns.Turns
	// evaluations is reused memory for the verdicts of runs that are judged together. spareRuns is reused memory for the runs
	// of a tick.
	evaluations [turns.AtOnce]evaluate.Evaluation
	spareRuns   []agentrun.Run
	closing     int64

	// stop ends the loop, and the pause between two attempts to deliver. abort ends the attempt under way.
	stop, abort context.CancelFunc
	done        sync.WaitGroup
}

var _ consumer.Traces = (*Processor)(nil)
