// Package bounded has a table that forgets its oldest entries, and says since when it has. It is for whatever a sender decides how
// much there is of: a table that is full costs no more, and whoever needed what it forgot is in doubt.
package bounded

// A Table has a bounded number of entries, with a bounded number of bytes. The oldest are forgotten first. A Table is for one
// goroutine at a time.
type Table[K comparable, V any] struct {
	entries map[K]entry[V]
	order   []numbered[K] // from the oldest; an entry that was replaced or removed has another number
	number  uint64
	most    int
	bytes   int
	limit   int
	lost    int64
}

type entry[V any] struct {
	value  V
	bytes  int
	at     int64
	number uint64
}

type numbered[K comparable] struct {
	key    K
	number uint64
}

// entryBytes is how many bytes an entry takes besides its key and value.
const entryBytes = 160

// New returns an empty table with at most that many entries and bytes.
func New[K comparable, V any](most, bytes int) *Table[K, V] {
	return &Table[K, V]{entries: make(map[K]entry[V]), most: most, limit: bytes}
}

// Put sets the value of a key, which takes that many bytes. at is when, in nanoseconds since 1970.
func (t *Table[K, V]) Put(key K, value V, bytes int, at int64) {
	t.Remove(key)
	if bytes+entryBytes > t.limit { // it would push out all others, and itself
		t.lost = max(t.lost, at)
		return
	}
	t.number++
	t.entries[key] = entry[V]{value, bytes + entryBytes, at, t.number}
	t.bytes += bytes + entryBytes
	t.order = append(t.order, numbered[K]{key, t.number})
	for len(t.entries) > t.most || t.bytes > t.limit {
		t.forgetOldest()
	}
	if len(t.order) > 2*len(t.entries)+16 { // most were removed
		kept := t.order[:0]
		for _, o := range t.order {
			if t.entries[o.key].number == o.number {
				kept = append(kept, o)
			}
		}
		t.order = kept
	}
}

func (t *Table[K, V]) forgetOldest() {
	o := t.order[0]
	t.order = t.order[1:]
	if e, ok := t.entries[o.key]; ok && e.number == o.number {
		t.lost = max(t.lost, e.at)
		t.bytes -= e.bytes
		delete(t.entries, o.key)
	}
}

// Get returns the value of a key, if the table has it.
func (t *Table[K, V]) Get(key K) (V, bool) {
	e, ok := t.entries[key]
	return e.value, ok
}

// Remove removes a key, which is not lost by that.
func (t *Table[K, V]) Remove(key K) {
	if e, ok := t.entries[key]; ok {
		t.bytes -= e.bytes
		delete(t.entries, key)
	}
}

// Lost is when the newest entry was put that is forgotten, in nanoseconds since 1970. It is 0 if none is.
func (t *Table[K, V]) Lost() int64 { return t.lost }

// Len is how many entries there are, and Bytes how many bytes they take.
func (t *Table[K, V]) Len() int { return len(t.entries) }

// Bytes is how many bytes the entries take.
func (t *Table[K, V]) Bytes() int { return t.bytes }
