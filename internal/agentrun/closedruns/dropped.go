package closedruns

import (
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Dropped says which closed runs of a trace may be forgotten. Its times are those of the processor's clock, and 0 if none are.
type Dropped struct {
	// Closed is when the last run closed that fell out of its list. Evicted is when the last trace closed for which all that is
	// known may be forgotten, because a limit or a shutdown closed it. It is the end of all time if this very trace was evicted: a
	// run that begins later may get calls that came before.
	Closed, Evicted pcommon.Timestamp
}

// Dropped returns what may be forgotten of a trace that is about to open.
func (c *Cache) Dropped(id pcommon.TraceID) Dropped {
	d := c.dropped
	c.each(id, true, func(*cachedRun, uint64) { d.Evicted = math.MaxUint64 })
	return d
}

// add notes that a run, or an eviction, falls out.
func (d *Dropped) add(r *cachedRun) {
	if at := pcommon.Timestamp(r.at); r.reason == agentrun.ByAnchor || r.reason == agentrun.ByIdle {
		d.Closed = max(d.Closed, at)
	} else {
		d.Evicted = max(d.Evicted, at)
	}
}

// NoteEviction notes that a limit closed a trace with runs of this one, and returns when one did so last.
func (d *Dropped) NoteEviction(at pcommon.Timestamp) pcommon.Timestamp {
	d.Evicted = max(d.Evicted, at)
	return d.Evicted
}

// NoteTrim notes that p, the closed runs of an open trace, has only that number of the newest, if it has as many.
func (d *Dropped) NoteTrim(p Runs, most int) {
	if len(p) >= most {
		d.Closed = max(d.Closed, pcommon.Timestamp(p[0].At))
	}
}

// Trim keeps that number of the newest runs. lost: it forgot some, and another process may be to blame.
func (p Runs) Trim(most int) (kept Runs, lost bool) {
	if len(p) <= most {
		return p, false
	}
	lost = slices.ContainsFunc(p, func(r Run) bool { return r.Process.DiffersFrom(p[0].Process) })
	return slices.Delete(p, 0, len(p)-most), lost
}

// MayHaveBegun reports whether a run that began at a time may have a part in what is forgotten.
func (d Dropped) MayHaveBegun(at pcommon.Timestamp, wait time.Duration) bool {
	until := d.Begun(wait)
	return until > 0 && at <= until
}

// Begun is until when runs began that have closed, and may be forgotten. A run closes wait after it began, or later, unless a
// limit closes it.
func (d Dropped) Begun(wait time.Duration) pcommon.Timestamp {
	return max(d.Evicted, before(d.Closed, wait))
}

// MayHave reports whether something that was known of the run of an anchor may be forgotten. A limit may have closed its trace
// after it began. Or the run may have closed before: by its anchor after wait, or by idleness before the trace opened.
func (d Dropped) MayHave(anchor agentrun.Span, opened pcommon.Timestamp, wait, idle time.Duration) bool {
	closed := d.Closed > 0 && (anchor.End <= before(d.Closed, wait) || anchor.Start <= before(min(d.Closed, opened), idle))
	return closed || d.Evicted > 0 && anchor.Start <= d.Evicted
}

// before is the time d before t, and 0 if there is none.
func before(t pcommon.Timestamp, d time.Duration) pcommon.Timestamp {
	return t - min(t, pcommon.Timestamp(d))
}
