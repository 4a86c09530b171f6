package lookup

import (
	"hash/maphash"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// TraceKey is a hash of a trace id. Its bits choose counter, bucket and shard.
type TraceKey uint64

// keySeed is another one in every process, so that no sender can make trace ids that meet in one counter, bucket or shard.
var keySeed = maphash.MakeSeed()

// KeyOf spreads whatever tracers make ids of: random numbers, clocks, ids that count up at either end.
func KeyOf(id pcommon.TraceID) TraceKey { return TraceKey(maphash.Bytes(keySeed, id[:])) }
