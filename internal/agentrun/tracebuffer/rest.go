package tracebuffer

import (
	"cmp"
	heaps "container/heap"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// Calls of unknown origin wait, and are examined again each time that an agent of their trace closes. A sender that closed
// an agent ten times a second, in a trace with ten thousand such calls, kept a core busy with 20 kB/s. So each span that
// arrives pays for some steps. A trace that has spent more rests before it is examined again, twice as long each time that
// it cannot pay.

const (
	// bytesPaid is how many kept bytes of a span pay for a step. Examining a trace once takes fewer steps than its calls pay
	// for, so only repeated examinations are unpaid.
	bytesPaid = 2
	// mostPaid is the most that a trace saves up.
	mostPaid = 1 << 30
	// shortestRest is the first one, and the longest is the IdleTimeout.
	shortestRest = time.Second
)

// pay adds the steps that a growth of t by so many bytes pays for.
func (t *trace) pay(grown int) {
	if grown > 0 {
		t.paid = int32(min(int(t.paid)+grown/bytesPaid, mostPaid))
	}
}

// charge subtracts the work of closing t from what its spans have paid. If the work is more, t rests.
func (b *Buffer) charge(t *trace, spent compare.Work, now time.Time) {
	if int64(spent) <= int64(t.paid) {
		t.paid -= int32(spent)
		t.rests = 0
		return
	}
	t.paid = 0
	rest := min(shortestRest<<t.rests, max(b.set.IdleTimeout, shortestRest))
	if rest < b.set.IdleTimeout {
		t.rests++
	}
	t.until = now.Add(rest).UnixNano()
}

// isResting reports whether t has something due and must not be examined before its rest is over. Then a deadline brings it
// back. Recorded spans wait for nothing.
func (b *Buffer) isResting(t *trace, now time.Time) bool {
	if t.until <= now.UnixNano() || b.set.Replay {
		return false
	}
	if !t.resting {
		t.resting = true
		t.deadlines++
		heaps.Push(&b.resting, deadline{time.Unix(0, t.until), t})
	}
	return true
}

// rested returns a trace whose rest is over, one with each call.
func (b *Buffer) rested(now time.Time) (t *trace, any bool) {
	if len(b.resting) == 0 || b.resting[0].at.After(now) {
		return nil, false
	}
	t = heaps.Pop(&b.resting).(deadline).trace
	t.deadlines--
	t.resting = false
	return t, true
}

// deadlines have the first one in front, as container/heap keeps them.
type deadlines []deadline

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return cmp.Less(d[i].at.UnixNano(), d[j].at.UnixNano()) }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(x any)        { *d = append(*d, x.(deadline)) }

func (d *deadlines) Pop() any {
	last := len(*d) - 1
	x := (*d)[last]
	(*d)[last] = deadline{}
	*d = (*d)[:last]
	return x
}

type deadline struct {
	at    time.Time
	trace *trace
}
