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
	// runs is guarded by mu, and so are the next three: what the processor's totals know of runs.
	runs       *tracebuffer.Buffer
	size       int
	remembered int
	open       int
	// lastSeen is when its trace was seen that has been idle longest, in nanoseconds; never if it has none.
	lastSeen atomic.Int64
}

const never = math.MaxInt64
