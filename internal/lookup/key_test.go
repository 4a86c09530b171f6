package lookup

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A sender cannot know the place of a trace's links.
func TestKeysOfTracesCannotBeForeseen(t *testing.T) {
	const traces = 64
	low := map[TraceKey]bool{}
	for i := range traces {
		low[KeyOf(evidence.Key{Trace: meeting15(i)})&(1<<15-1)] = true
	}
	require.Greater(t, len(low), traces/2, "ids that met in one place of a known hash are spread")
}

// Spans of two partitions do not find the links of each other.
func TestPartitionsHaveKeysOfTheirOwn(t *testing.T) {
	require.NotEqual(t, KeyOf(evidence.Key{Partition: 1}), KeyOf(evidence.Key{Partition: 2}))
}

// meeting15 is the i-th trace id whose low bits are 0 under a hash that every sender can compute.
func meeting15(i int) (id pcommon.TraceID) {
	for n := uint64(i) << 40; ; n++ {
		binary.LittleEndian.PutUint64(id[:8], n)
		binary.LittleEndian.PutUint64(id[8:], ^n)
		hi, lo := bits.Mul64(n^0xa0761d6478bd642f, ^n^0xe7037ed1a0b428db)
		hi, lo = bits.Mul64(hi^lo, 0x9E3779B97F4A7C15)
		if (hi^lo)&(1<<15-1) == 0 {
			return id
		}
	}
}
