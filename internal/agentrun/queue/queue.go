package queue

import "slices"

// Queue is first in, first out. The zero value is empty.
type Queue[T any] struct {
	items []T
	head  int
}

// Push puts v behind the last one.
func (q *Queue[T]) Push(v T) { q.items = append(q.items, v) }

// Len is how many items there are.
func (q *Queue[T]) Len() int { return len(q.items) - q.head }

// All are the items, the first one in front. They are valid until q changes.
func (q *Queue[T]) All() []T { return q.items[q.head:] }

// Front returns the first item. The second result is false if the queue is empty.
func (q *Queue[T]) Front() (v T, ok bool) {
	if q.Len() == 0 {
		return v, false
	}
	return q.items[q.head], true
}

// DeleteFunc removes the items for which del holds, and gives back memory that is mostly unused.
func (q *Queue[T]) DeleteFunc(del func(T) bool) {
	items := slices.DeleteFunc(q.items[q.head:], del)
	if len(items) < cap(q.items)/4 {
		items = slices.Clone(items)
	}
	q.items, q.head = items, 0
}

// Pop removes the front, which must exist. Memory is reclaimed once half of it is unused.
func (q *Queue[T]) Pop() {
	var zero T
	q.items[q.head] = zero
	q.head++
	if q.head*2 >= len(q.items) {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
}
