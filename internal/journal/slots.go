package journal

import "slices"

// slots are the numbers of records. They begin at 1, because 0 means that there is no record.
type slots struct {
	// next is the lowest number that was never used, and unused has those that were given back. No number from reserved on
	// is in the storage.
	next, reserved uint32
	unused         []uint32
}

// slotsStep is how many slots are reserved at once. Fewer would be more writes, more a longer look at the start.
const slotsStep = 4096

func (s *slots) take() uint32 {
	if n := len(s.unused); n > 0 {
		slot := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return slot
	}
	s.next++
	return s.next - 1
}

func (s *slots) free(slots ...uint32) { s.unused = append(s.unused, slots...) }

// toReserve returns how many slots the journal must reserve, if it must.
func (s *slots) toReserve() (upTo uint32, needed bool) {
	return (s.next + slotsStep - 1) / slotsStep * slotsStep, s.next > s.reserved
}

// fifo is a queue of records whose oldest drop out.
type fifo struct {
	items []fifoItem
	load  int
	most  int // the load that is remembered
}

type fifoItem struct {
	slot uint32
	load int
}

// push returns the slots that are forgotten for the new one.
func (m *fifo) push(slot uint32, load int) (forgotten []uint32) {
	m.items = append(m.items, fifoItem{slot, load})
	m.load += load
	for m.load-m.items[0].load >= m.most {
		m.load -= m.items[0].load
		forgotten = append(forgotten, m.items[0].slot)
		m.items = m.items[1:]
	}
	return forgotten
}

// pull takes back a record that was not written. It is false if that is forgotten already.
func (m *fifo) pull(slot uint32) bool {
	for i, e := range slices.Backward(m.items) {
		if e.slot == slot {
			m.load -= e.load
			m.items = slices.Delete(m.items, i, i+1)
			return true
		}
	}
	return false
}

// empty returns the slots of all records, and forgets them.
func (m *fifo) empty() (all []uint32) {
	for _, e := range m.items {
		all = append(all, e.slot)
	}
	m.items, m.load = nil, 0
	return all
}
