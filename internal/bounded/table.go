// Package bounded has a table that forgets its oldest entries, and says since when it has. It is for whatever a sender decides how
// much there is of: a table that is full costs no more, and whoever needed what it forgot is in doubt.
package bounded

// A Table has a bounded number of entries, with a bounded number of bytes. The oldest are forgotten first. A Table is for one
// goroutine at a time.
type Table[K comparable, V any] struct {
	// numbers has where the entries are: at order[number-first]. A map without pointers costs the garbage collector nothing.
	numbers map[K]uint64
	order   []entry[K, V] // from the oldest
	first   uint64
	most    int
	bytes   int
	limit   int
	lost    int64
}

type entry[K comparable, V any] struct {
	key   K
	value V
	bytes int // 0 if the entry was removed
	at    int64
}

// entryBytes is how many bytes an entry takes besides its value.
const entryBytes = 136

// New returns an empty table with at most that many entries and bytes.
func New[K comparable, V any](most, bytes int) *Table[K, V] {
	return &Table[K, V]{numbers: make(map[K]uint64), most: most, limit: bytes}
}

// Put sets the value of a key, which takes that many bytes. at is when, in nanoseconds since 1970.
func (t *Table[K, V]) Put(key K, value V, bytes int, at int64) {
	t.Remove(key)
	bytes += entryBytes
	if bytes > t.limit { // it would push out all others, and itself
		t.lost = max(t.lost, at)
		return
	}
	t.numbers[key] = t.first + uint64(len(t.order))
	t.order = append(t.order, entry[K, V]{key, value, bytes, at})
	t.bytes += bytes
	for len(t.numbers) > t.most || t.bytes > t.limit {
		t.forgetOldest()
	}
	if len(t.order) > 2*len(t.numbers)+16 { // most were removed
		t.close()
	}
}

func (t *Table[K, V]) forgetOldest() {
	if oldest := &t.order[0]; oldest.bytes > 0 {
		t.lost = max(t.lost, oldest.at)
		t.bytes -= oldest.bytes
		delete(t.numbers, oldest.key)
		*oldest = entry[K, V]{}
	}
	t.order = t.order[1:]
	t.first++
}

// close closes the gaps of entries that were removed.
func (t *Table[K, V]) close() {
	kept := t.order[:0]
	for _, e := range t.order {
		if e.bytes > 0 {
			t.numbers[e.key] = t.first + uint64(len(kept))
			kept = append(kept, e)
		}
	}
	clear(t.order[len(kept):])
	t.order = kept
}

// Get returns the value of a key, if the table has it.
func (t *Table[K, V]) Get(key K) (value V, ok bool) {
	n, ok := t.numbers[key]
	if !ok {
		return value, false
	}
	return t.order[n-t.first].value, true
}

// Remove removes a key, which is not lost by that.
func (t *Table[K, V]) Remove(key K) {
	n, ok := t.numbers[key]
	if !ok {
		return
	}
	e := &t.order[n-t.first]
	t.bytes -= e.bytes
	*e = entry[K, V]{}
	delete(t.numbers, key)
}

// Lost is when the newest entry was put that is forgotten, in nanoseconds since 1970. It is 0 if none is.
func (t *Table[K, V]) Lost() int64 { return t.lost }

// Len is how many entries there are, and Bytes how many bytes they take.
func (t *Table[K, V]) Len() int { return len(t.numbers) }

// Bytes is how many bytes the entries take.
func (t *Table[K, V]) Bytes() int { return t.bytes }
