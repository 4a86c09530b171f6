// Package bounded has a table that forgets its oldest entries, and says since when it has. It is for whatever a sender decides how
// much there is of: a table that is full costs no more, and whoever needed what it forgot is in doubt.
package bounded

// A Table has a bounded number of entries, with a bounded number of bytes. The oldest are forgotten first. A Table is for one
// goroutine at a time.
type Table[K comparable, V any] struct {
	// numbers has the number of each key. A map without pointers costs the garbage collector nothing.
	numbers map[K]uint64
	// ring has the entries from the number first up to next, each at its number modulo the length.
	ring        []entry[K, V]
	first, next uint64
	most        int
	bytes       int
	limit       int
	lost        int64
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

func (t *Table[K, V]) entry(number uint64) *entry[K, V] {
	return &t.ring[number%uint64(len(t.ring))]
}

// Put sets the value of a key, which takes that many bytes. at is when, in nanoseconds since 1970.
func (t *Table[K, V]) Put(key K, value V, bytes int, at int64) {
	t.Remove(key)
	bytes += entryBytes
	if bytes > t.limit { // it would push out all others, and itself
		t.lost = max(t.lost, at)
		return
	}
	for ; len(t.numbers) > 0 && (len(t.numbers) == t.most || t.bytes+bytes > t.limit); t.first++ {
		if oldest := t.entry(t.first); oldest.bytes > 0 {
			t.lost = max(t.lost, oldest.at)
			t.Remove(oldest.key)
		}
	}
	if t.next-t.first == uint64(len(t.ring)) {
		t.grow()
	}
	t.numbers[key] = t.next
	*t.entry(t.next) = entry[K, V]{key, value, bytes, at}
	t.next++
	t.bytes += bytes
}

// grow makes room in the ring for half as many entries more. It closes the gaps of those that were removed, which gives new numbers.
func (t *Table[K, V]) grow() {
	ring := make([]entry[K, V], len(t.numbers)*3/2+16)
	n := uint64(0)
	for ; t.first < t.next; t.first++ {
		if e := t.entry(t.first); e.bytes > 0 {
			ring[n], t.numbers[e.key] = *e, n
			n++
		}
	}
	t.ring, t.first, t.next = ring, 0, n
}

// Get returns the value of a key, if the table has it.
func (t *Table[K, V]) Get(key K) (value V, ok bool) {
	n, ok := t.numbers[key]
	if !ok {
		return value, false
	}
	return t.entry(n).value, true
}

// Remove removes a key, which is not lost by that.
func (t *Table[K, V]) Remove(key K) {
	n, ok := t.numbers[key]
	if !ok {
		return
	}
	e := t.entry(n)
	t.bytes -= e.bytes
	*e = entry[K, V]{}
	delete(t.numbers, key)
}

// Lost is when the newest entry was put that is forgotten, in nanoseconds since 1970. It is 0 if none is.
func (t *Table[K, V]) Lost() int64 { return t.lost }

// Len is how many entries there are.
func (t *Table[K, V]) Len() int { return len(t.numbers) }

// Bytes is how many bytes the entries take.
func (t *Table[K, V]) Bytes() int { return t.bytes }
