package scoring

import (
	"cmp"
	"slices"
)

// anyOrder finds the pairing of greatest credit: of required rows first, then of the others.
//
// If every call can be of one class only, there is nothing to choose. If every credit is full, the problem is a bipartite
// matching. Only partial credits need an assignment by weight, and only among classes that compete, directly or through
// others, for the same calls.
func (w *nativeRun) anyOrder(p *plan) {
	if p.distinct && !w.credits.fractional {
		w.firstCome(p)
		return
	}
	w.credits.group(len(p.classes))
	m := &w.match
	m.reset(p, len(w.calls))
	if w.credits.fractional {
		m.unite(&w.credits)
	}
	m.fill(p, &w.credits)
	w.assign(p, m)
	if w.credits.fractional {
		w.assignAll(p, m)
	}
}

// firstCome gives each class its first calls.
func (w *nativeRun) firstCome(p *plan) {
	w.cursors = filled(w.cursors, len(p.classes), 0)
	for _, e := range w.credits.edges {
		w.assignRow(p, e.class, e.call, full)
	}
}

// assign gives the calls of each class to its rows, in order.
func (w *nativeRun) assign(p *plan, m *matching) {
	w.cursors = filled(w.cursors, len(p.classes), 0)
	for j, k := range m.owner {
		if k >= 0 {
			w.assignRow(p, k, int32(j), full)
		}
	}
}

// assignRow gives a call to the next row of its class, if one is left.
func (w *nativeRun) assignRow(p *plan, k, call int32, credit int64) {
	rows := p.classes[k].rows
	at := w.cursors[k]
	if int(at) == len(rows) {
		return
	}
	w.rowOf[call], w.creditOf[call] = rows[at], credit
	if p.rows[rows[at]].need != endless {
		w.cursors[k]++
	}
}

// A matching pairs calls with classes. Each class has room for several calls. The algorithm is that of Hopcroft and Karp:
// each round finds the shortest chains of exchanges that win a call, and makes as many as do not overlap.
type matching struct {
	owner []int32 // by call: its class, or -1
	room  []int32 // by class: how many calls it may still take
	level []int32 // by class: its distance from a class with room, in exchanges
	tried []int32 // by class: how many of its edges this round has tried
	queue []int32
	// root is, by class, the representative of the group of classes that compete with it. weighed says, by representative,
	// that the group has partial credits and is left to an assignment by weight.
	root    []int32
	weighed []bool
}

func (m *matching) reset(p *plan, calls int) {
	m.owner = filled(m.owner, calls, -1)
	m.room = resized(m.room, len(p.classes))
	m.level = resized(m.level, len(p.classes))
	m.tried = resized(m.tried, len(p.classes))
	m.root = resized(m.root, len(p.classes))
	for k := range m.root {
		m.root[k] = int32(k)
	}
	m.weighed = filled(m.weighed, len(p.classes), false)
}

// unite finds the groups of classes that compete, and those that have partial credits.
func (m *matching) unite(c *credits) {
	for i, e := range c.edges {
		if i > 0 && c.edges[i-1].call == e.call {
			m.root[m.find(e.class)] = m.find(c.edges[i-1].class)
		}
	}
	for _, e := range c.edges {
		if e.credit < full {
			m.weighed[m.find(e.class)] = true
		}
	}
}

// find is the representative of a class's group. It shortens the path to it (union-find).
func (m *matching) find(k int32) int32 {
	for m.root[k] != k {
		m.root[k] = m.root[m.root[k]]
		k = m.root[k]
	}
	return k
}

// fill matches required rows first, then the others. A chain of exchanges never takes a call from a class without giving
// it another, so the second step costs no required row its call.
func (m *matching) fill(p *plan, c *credits) {
	for k := range m.room {
		m.room[k] = int32(p.classes[k].needs.least)
	}
	m.grow(c)
	for k := range m.room {
		m.room[k] += int32(p.classes[k].capacity(len(m.owner)) - p.classes[k].needs.least)
	}
	m.grow(c)
}

// capacity is how many of the run's calls a class has rows for.
func (k *toolClass) capacity(calls int) int {
	if k.needs.endless {
		return max(k.needs.least, calls)
	}
	return k.needs.most
}

// grow matches until no chain of exchanges can win another call.
func (m *matching) grow(c *credits) {
	for m.measure(c) {
		for k := range m.tried {
			m.tried[k] = 0
		}
		for k := range m.room {
			for m.open(int32(k)) && m.win(c, int32(k)) {
				m.room[k]--
			}
		}
	}
}

// open reports whether a class takes part and has room.
func (m *matching) open(k int32) bool { return m.room[k] > 0 && !m.weighed[m.find(k)] }

// measure computes the levels, and reports whether a call can be won.
func (m *matching) measure(c *credits) bool {
	m.queue = m.queue[:0]
	for k := range m.level {
		m.level[k] = -1
		if m.open(int32(k)) {
			m.level[k] = 0
			m.queue = append(m.queue, int32(k))
		}
	}
	found := false
	for i := 0; i < len(m.queue); i++ {
		k := m.queue[i]
		for _, e := range c.of(k) {
			switch o := m.owner[e.call]; {
			case o < 0:
				found = true
			case m.level[o] < 0:
				m.level[o] = m.level[k] + 1
				m.queue = append(m.queue, o)
			}
		}
	}
	return found
}

// win gives class k one more call: a free one, or one of a class of the next level that can win another call instead.
func (m *matching) win(c *credits, k int32) bool {
	edges := c.of(k)
	for int(m.tried[k]) < len(edges) {
		call := edges[m.tried[k]].call
		m.tried[k]++
		o := m.owner[call]
		if o < 0 || m.level[o] == m.level[k]+1 && m.win(c, o) {
			m.owner[call] = k
			return true
		}
	}
	return false
}

// A group is a set of classes that compete for calls.
type group struct {
	classes []int32
	edges   []edge
}

// weighedGroups are the groups with partial credits, in the order of their first classes.
func (m *matching) weighedGroups(c *credits) []group {
	at := map[int32]int{}
	var groups []group
	for k := range m.root {
		root := m.find(int32(k))
		if !m.weighed[root] {
			continue
		}
		i, ok := at[root]
		if !ok {
			i = len(groups)
			at[root] = i
			groups = append(groups, group{})
		}
		groups[i].classes = append(groups[i].classes, int32(k))
		groups[i].edges = append(groups[i].edges, c.of(int32(k))...)
	}
	return groups
}

// byCredit sorts edges, the best first.
func byCredit(edges []edge) {
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(-cmp.Compare(a.credit, b.credit), cmp.Compare(a.call, b.call), cmp.Compare(a.class, b.class))
	})
}
