package fairshare

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// MaxLosers is for how many processes losses are recorded one by one.
const MaxLosers = 1 << 10

// lossBytes is the size of the losses of a process, in a map.
const lossBytes = 120

// skew is how far the clock of a process may be ahead of ours, when the losses of many processes become one time.
const skew = pcommon.Timestamp(time.Minute)

// losses has what processes lost to others.
type losses struct {
	bounds Bounds
	of     map[agentrun.Process]*loss
	// before is set when there were too many losers: any process may have lost entries that began before it.
	before pcommon.Timestamp
}

// A loss is what one process lost. recent has what it lost while it added the latest entries, at most as many as fill a table.
// former has what it lost while it added as many entries before.
type loss struct {
	recent, former lossTime
	entries, bytes int // that the process has added since recent began
}

// A lossTime covers the times of lost entries. tags has a bit for each of their tags; without any there is no entry.
type lossTime struct {
	start, end pcommon.Timestamp
	tags       uint64
}

func bitOf(tag uint32) uint64 { return 1 << (tag & 63) }

// merge extends l, so that it covers o.
func (l *lossTime) merge(o lossTime) {
	if l.tags == 0 {
		*l = o
		return
	}
	l.start, l.end, l.tags = min(l.start, o.start), max(l.end, o.end), l.tags|o.tags
}

func (l *lossTime) overlaps(o lossTime) bool {
	return l.tags&o.tags != 0 && l.start <= o.end && o.start <= l.end
}

// add records that a process lost an entry.
func (l *losses) add(p agentrun.Process, lost lossTime, now pcommon.Timestamp) {
	known := l.of[p]
	if known == nil {
		if len(l.of) >= MaxLosers {
			l.forget(now)
		}
		if l.of == nil {
			l.of = make(map[agentrun.Process]*loss)
		}
		known = new(loss)
		l.of[p] = known
	}
	known.recent.merge(lost)
}

// forget replaces the losses of all processes by one time. An invented process may have entries of any time, so those after
// now do not count. Otherwise its sender could make all later runs incomplete.
func (l *losses) forget(now pcommon.Timestamp) {
	latest := now + skew
	for _, known := range l.of {
		for _, lost := range [...]lossTime{known.recent, known.former} {
			if lost.tags != 0 {
				l.before = max(l.before, min(lost.end, latest))
			}
		}
	}
	clear(l.of)
}

// added says that a process has added an entry. After as many as fill a table, former losses would also be losses if the
// process had a table of its own.
func (l *losses) added(p agentrun.Process, bytes int) {
	known := l.of[p]
	if known == nil {
		return
	}
	known.entries++
	known.bytes += bytes
	if l.bounds.hold(known.entries+1, known.bytes) {
		return
	}
	*known = loss{former: known.recent}
	if known.former.tags == 0 {
		delete(l.of, p)
	}
}

func (l *losses) any(p agentrun.Process) bool { return l.before > 0 || l.of[p] != nil }

func (l *losses) has(p agentrun.Process, asked lossTime) bool {
	if asked.start <= l.before && l.before > 0 {
		return true
	}
	known := l.of[p]
	return known != nil && (known.recent.overlaps(asked) || known.former.overlaps(asked))
}

func (l *losses) size() int { return len(l.of) * lossBytes }
