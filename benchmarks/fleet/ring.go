package main

import (
	"hash/crc32"
	"slices"
	"sort"
	"strconv"
)

const (
	positions = 131071 // of the ring, as load_balancing has them
	points    = 100    // of each scorer on the ring
)

// A ring maps a trace to its scorer by consistent hashing, as load_balancing does. A change of the fleet moves only the
// traces of the scorer that joins or leaves.
type ring struct {
	at    []uint32 // sorted
	owner []int
}

func newRing(scorers []int) ring {
	taken := map[uint32]int{}
	for _, s := range slices.Sorted(slices.Values(scorers)) {
		for p := range points {
			position := crc32.ChecksumIEEE([]byte("scorer-"+strconv.Itoa(s)+":4317-"+strconv.Itoa(p))) % positions
			if _, there := taken[position]; !there {
				taken[position] = s
			}
		}
	}
	var r ring
	for position := range taken {
		r.at = append(r.at, position)
	}
	slices.Sort(r.at)
	for _, position := range r.at {
		r.owner = append(r.owner, taken[position])
	}
	return r
}

// of is the scorer of a trace, by the trace's own position.
func (r ring) of(position uint32) int {
	i := sort.Search(len(r.at), func(i int) bool { return r.at[i] >= position })
	return r.owner[i%len(r.owner)]
}
