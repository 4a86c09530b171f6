package fairshare

import (
	"hash/maphash"
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// LostKeys remembers which keys led to entries that a limit removed. It keeps hashes in a table that never grows. Where two
// keys have one place, more keys are lost than need be.
type LostKeys struct {
	seed  maphash.Seed // secret, so that no sender can choose keys with one place
	until []uint32     // by place: the second until which its keys count as lost
}

// lostPlaces are 64 KiB, which are made for the first loss.
const lostPlaces = 1 << 14

// Add says that these keys are lost until then.
func (l *LostKeys) Add(keys []string, until pcommon.Timestamp) {
	if l.until == nil {
		l.seed, l.until = maphash.MakeSeed(), make([]uint32, lostPlaces)
	}
	second := uint32(min(until/1e9+1, math.MaxUint32))
	for _, key := range keys {
		at := l.place(key)
		*at = max(*at, second)
	}
}

// Meet reports whether one of these keys is lost now. Then all of them are lost until the given time, because what they lead to
// lacks the same entries.
func (l *LostKeys) Meet(keys []string, now, until pcommon.Timestamp) bool {
	if l.until == nil {
		return false
	}
	for _, key := range keys {
		if pcommon.Timestamp(*l.place(key)) >= now/1e9+1 {
			l.Add(keys, until)
			return true
		}
	}
	return false
}

func (l *LostKeys) place(key string) *uint32 { return &l.until[maphash.String(l.seed, key)%lostPlaces] }
