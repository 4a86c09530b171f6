package queue

import (
	"slices"
	"testing"
)

func TestWhatCameFirstGoesFirst(t *testing.T) {
	var q Queue[int]
	for i := range 100 {
		q.Push(i)
	}
	for i := range 60 {
		if v, ok := q.Front(); !ok || v != i {
			t.Fatalf("in front is %d, want %d", v, i)
		}
		q.Pop()
	}
	q.DeleteFunc(func(v int) bool { return v%2 > 0 })
	if got := q.All(); q.Len() != 20 || got[0] != 60 || !slices.IsSorted(got) {
		t.Errorf("the rest is %v, want the even ones from 60", got)
	}
}

// A queue has little more memory than its elements need, after any number of them.
func TestAQueueGivesBackItsRoom(t *testing.T) {
	var q Queue[int]
	const much = 1 << 16
	for i := range much {
		q.Push(i)
		if i%4 > 0 {
			q.Pop()
		}
	}
	q.DeleteFunc(func(v int) bool { return v < much-10 })
	if len(q.All()) != 10 || cap(q.items) > 100 {
		t.Errorf("%d items have room for %d", q.Len(), cap(q.items))
	}
}
