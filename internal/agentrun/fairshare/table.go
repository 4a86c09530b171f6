package fairshare

import (
	"cmp"
	"container/heap"
	"container/list"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/queue"
)

// Bounds say how many entries, and how many bytes of them, a table keeps. 0 bytes are no bound.
type Bounds struct{ Entries, Bytes int }

// hold reports whether that number of entries and bytes is within the bounds.
func (b Bounds) hold(entries, bytes int) bool {
	return entries <= b.Entries && (b.Bytes == 0 || bytes <= b.Bytes)
}

// idle is after how long without a new entry a process gives up its share. Otherwise processes that have ended would fill the
// table for good.
const idle = pcommon.Timestamp(5 * time.Minute)

// An Entry is a value of one process, with the time that it says something about.
type Entry[T any] struct {
	Value      T
	Bytes      int
	Start, End pcommon.Timestamp
	// Tag is a hash of what a look-up asks for, such as a name. A loss with another tag cannot concern the look-up.
	Tag uint32
}

// A Table keeps the newest entries of each process.
type Table[T any] struct {
	bounds  Bounds
	evicted func(T)
	shares  map[agentrun.Process]*share[T]
	largest shareHeap[T]
	turns   list.List // the shares, the one that grew last behind
	len     int
	bytes   int
	losses  losses
}

// A share is the entries of one process.
type share[T any] struct {
	process agentrun.Process
	entries queue.Queue[Entry[T]]
	bytes   int
	weight  int               // what counts when the largest share is looked for
	last    pcommon.Timestamp // when the process added an entry last
	place   int               // in the heap
	turn    *list.Element     // in the turns
}

// New returns an empty table. evicted gets each value that the table drops. It may be nil.
func New[T any](b Bounds, evicted func(T)) *Table[T] {
	return &Table[T]{bounds: b, evicted: evicted, shares: make(map[agentrun.Process]*share[T]), losses: losses{bounds: b}}
}

// Len is how many entries there are.
func (t *Table[T]) Len() int { return t.len }

// Bytes is how many bytes the entries keep alive, with the records of losses.
func (t *Table[T]) Bytes() int { return t.bytes + t.losses.size() }

// Of returns the entries of a process, the oldest first. They are valid until the table changes.
func (t *Table[T]) Of(p agentrun.Process) []Entry[T] {
	if s := t.shares[p]; s != nil {
		return s.entries.All()
	}
	return nil
}

// Add adds an entry of a process, and drops others if there are more than the bounds allow.
func (t *Table[T]) Add(now pcommon.Timestamp, p agentrun.Process, e Entry[T]) {
	s := t.shares[p]
	if s == nil {
		s = &share[T]{process: p}
		t.shares[p] = s
		s.turn = t.turns.PushBack(s)
		heap.Push(&t.largest, s)
	}
	s.last = now
	t.turns.MoveToBack(s.turn)
	s.entries.Push(e)
	t.resize(s, 1, e.Bytes)
	t.losses.added(p, e.Bytes)
	for !t.bounds.hold(t.len, t.bytes) {
		t.drop(now)
	}
}

// drop drops the oldest entry of a process that is idle, or else of the largest share.
func (t *Table[T]) drop(now pcommon.Timestamp) {
	s := t.turns.Front().Value.(*share[T])
	if now < s.last+idle {
		s = t.largest[0]
	}
	e, _ := s.entries.Front()
	if t.bounds.hold(s.entries.Len(), s.bytes) {
		t.losses.add(s.process, lossTime{e.Start, e.End, bitOf(e.Tag)}, now)
	}
	s.entries.Pop()
	t.resize(s, -1, -e.Bytes)
	if s.entries.Len() == 0 {
		heap.Remove(&t.largest, s.place)
		t.turns.Remove(s.turn)
		delete(t.shares, s.process)
	}
	if t.evicted != nil {
		t.evicted(e.Value)
	}
}

// resize adds a number of entries and bytes to a share.
func (t *Table[T]) resize(s *share[T], entries, bytes int) {
	t.len += entries
	t.bytes += bytes
	s.bytes += bytes
	s.weight = s.entries.Len()
	if t.bounds.Bytes > 0 { // an entry counts as much as its part of the bytes
		s.weight = s.weight*(t.bounds.Bytes/t.bounds.Entries) + s.bytes
	}
	heap.Fix(&t.largest, s.place)
}

// HasLost reports whether a process lost any entries to others. Only then is it worth asking for one.
func (t *Table[T]) HasLost(p agentrun.Process) bool { return t.losses.any(p) }

// MayHaveLost reports whether a process lost an entry to others that has the tag, and whose time overlaps the time from
// start to end. It may err on the side of a loss.
func (t *Table[T]) MayHaveLost(p agentrun.Process, start, end pcommon.Timestamp, tag uint32) bool {
	return t.losses.has(p, lossTime{start, end, bitOf(tag)})
}

// A shareHeap has the largest share in front.
type shareHeap[T any] []*share[T]

func (h shareHeap[T]) Len() int { return len(h) }

func (h shareHeap[T]) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].weight, h[i].weight), cmp.Compare(h[i].last, h[j].last), cmp.Compare(h[i].process, h[j].process)) < 0
}

func (h shareHeap[T]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

// Push adds a share behind the last one.
func (h *shareHeap[T]) Push(s any) {
	added := s.(*share[T])
	added.place = len(*h)
	*h = append(*h, added)
}

// Pop removes the last share.
func (h *shareHeap[T]) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}
