package processor

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/tracebuffer"
)

// shardCount is well above the number of cores that a collector gets.
const shardCount = 32

// shard is the runs of some traces. A trace never changes its shard.
type shard struct {
	mu sync.Mutex
	// mu guards runs and the next three fields, which are the shard's part of the processor's totals.
	runs       *tracebuffer.Buffer
	size       int
	remembered int
	open       int
	// lastSeen is when the trace that is idle longest was last seen, in nanoseconds; never if there is no trace.
	lastSeen atomic.Int64
}

const never = math.MaxInt64
