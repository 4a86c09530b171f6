package tracebuffer

import "slices"

// queue is first in, first out. The zero value is empty.
type queue[T any] struct {
	items []T
	head  int
}

func (q *queue[T]) push(v T) { q.items = append(q.items, v) }

func (q *queue[T]) len() int { return len(q.items) - q.head }

// all are the items, the first one in front. They are void when q changes.
func (q *queue[T]) all() []T { return q.items[q.head:] }

func (q *queue[T]) front() (v T, ok bool) {
	if q.len() == 0 {
		return v, false
	}
	return q.items[q.head], true
}

// deleteFunc removes the items that del says, and gives back room where most of it is unused.
func (q *queue[T]) deleteFunc(del func(T) bool) {
	items := slices.DeleteFunc(q.items[q.head:], del)
	if len(items) < cap(q.items)/4 {
		items = slices.Clone(items)
	}
	q.items, q.head = items, 0
}

// pop removes the front. Room is won back once half of it is unused.
func (q *queue[T]) pop() {
	var zero T
	q.items[q.head] = zero
	q.head++
	if q.head*2 >= len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}
