package bipartite

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"

// A group is a set of classes that compete for columns.
type group struct {
	classes []int32
	edges   []pairing.Edge
}

// unite finds the groups of classes that compete, and those that have partial credits.
func (m *Matcher) unite() {
	all := m.edges.All
	for i, e := range all {
		if i > 0 && all[i-1].Column == e.Column {
			m.root[m.find(e.Class)] = m.find(all[i-1].Class)
		}
	}
	for _, e := range all {
		if e.Credit < pairing.Full {
			m.weighed[m.find(e.Class)] = true
		}
	}
}

// find returns the representative of a class's group, and shortens the path to it (union-find).
func (m *Matcher) find(k int32) int32 {
	for m.root[k] != k {
		m.root[k] = m.root[m.root[k]]
		k = m.root[k]
	}
	return k
}

// weighedGroups returns the groups with partial credits, in the order of their first classes.
func (m *Matcher) weighedGroups() []group {
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
		groups[i].edges = append(groups[i].edges, m.edges.Of(int32(k))...)
	}
	return groups
}
