package dataset

import (
	"hash/maphash"
)

// chunkBytes is how much text is allocated at once. No case lies in two chunks.
const chunkBytes = 1 << 20

// A Set has cases by key. It grows by [Set.Add]. From then on that no case is added, it may be used by many goroutines.
type Set struct {
	seed maphash.Seed
	// chunks has the key and then the text of every case.
	chunks [][]byte
	cases  []ref
	// table has, at the hash of a key and behind it, the number of the case plus 1. 0 is free. Its length is a power of 2.
	table []uint32
}

// ref says where a case lies.
type ref struct {
	chunk, at uint32
	key, text uint32 // lengths
	line      uint32
}

// New returns a set without cases.
func New() *Set {
	return &Set{seed: maphash.MakeSeed(), table: make([]uint32, 16)}
}

// Len is how many cases the set has.
func (s *Set) Len() int { return len(s.cases) }

// Bytes is the memory that the set takes.
func (s *Set) Bytes() int {
	n := cap(s.cases)*20 + cap(s.table)*4
	for _, chunk := range s.chunks {
		n += cap(chunk)
	}
	return n
}

// Add adds a case that stands in a line. It copies text. If the key is there already, nothing is added, and the result is
// the line of the case that has it; otherwise 0.
func (s *Set) Add(key string, text []byte, line int) (first int) {
	slot, found := s.find(key)
	if found {
		return int(s.cases[s.table[slot]-1].line)
	}
	size := len(key) + len(text)
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < size {
		s.chunks = append(s.chunks, make([]byte, 0, max(chunkBytes, size)))
		last++
	}
	chunk := s.chunks[last]
	s.cases = append(s.cases, ref{uint32(last), uint32(len(chunk)), uint32(len(key)), uint32(len(text)), uint32(line)}) //nolint:gosec // bounded by the caller
	s.chunks[last] = append(append(chunk, key...), text...)
	s.table[slot] = uint32(len(s.cases)) //nolint:gosec // bounded by the caller
	if 2*len(s.cases) > len(s.table) {
		s.grow()
	}
	return 0
}

// Find is the text of a case. The caller must not change it.
func (s *Set) Find(key string) (text []byte, ok bool) {
	slot, found := s.find(key)
	if !found {
		return nil, false
	}
	c := s.cases[s.table[slot]-1]
	from := c.at + c.key
	return s.chunks[c.chunk][from : from+c.text : from+c.text], true
}

// find is the place of a key in the table, or the free one where it belongs.
func (s *Set) find(key string) (slot int, found bool) {
	mask := len(s.table) - 1
	for slot = int(maphash.String(s.seed, key)) & mask; ; slot = (slot + 1) & mask { //nolint:gosec // any bits will do
		n := s.table[slot]
		if n == 0 {
			return slot, false
		}
		if string(s.key(&s.cases[n-1])) == key {
			return slot, true
		}
	}
}

func (s *Set) key(c *ref) []byte { return s.chunks[c.chunk][c.at : c.at+c.key] }

// grow doubles the table.
func (s *Set) grow() {
	s.table = make([]uint32, 2*len(s.table))
	mask := len(s.table) - 1
	for i := range s.cases {
		slot := int(maphash.Bytes(s.seed, s.key(&s.cases[i]))) & mask //nolint:gosec // any bits will do
		for s.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		s.table[slot] = uint32(i + 1) //nolint:gosec // bounded by the caller
	}
}
