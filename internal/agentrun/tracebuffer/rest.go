package tracebuffer

import (
	"cmp"
	heaps "container/heap"
	"time"
)

// isResting reports whether t has something due and must not be examined before its rest is over. Then a deadline brings it
// back. Recorded spans wait for nothing.
func (b *Buffer) isResting(t *trace, now time.Time) bool {
	if !t.allowance.Rests(now) || b.set.Replay {
		return false
	}
	if !t.resting {
		t.resting = true
		t.deadlines++
		heaps.Push(&b.resting, deadline{t.allowance.Until(), t})
	}
	return true
}

// rested removes one trace whose rest is over from the resting ones and returns it. any is false if there is none.
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
