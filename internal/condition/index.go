package condition

// An Index finds the conditions that may hold on a span, so that the others need not be evaluated. Every condition is in
// one place: under the values of one equality that it requires, or in rest.
type Index struct {
	paths []pathIndex
	rest  []int // the conditions that may hold on every span, ascending
}

// pathIndex has the conditions that require one of some values of a path, ascending for each value.
type pathIndex struct {
	path    Path
	byValue map[string][]int
}

// NewIndex indexes conditions by the equalities that each requires: see [Required]. Those for which asked is false are left
// out. A condition that requires several equalities is indexed by the one that the fewest conditions share: by agent rather
// than by a common environment.
func NewIndex(required [][]Equality, asked func(i int) bool) Index {
	var x Index
	shared := map[Path]map[string]int{}
	for _, equalities := range required {
		for _, e := range equalities {
			if shared[e.Path] == nil {
				shared[e.Path] = map[string]int{}
			}
			for _, value := range e.Values {
				shared[e.Path][value]++
			}
		}
	}
	places := map[Path]int{}
	for i := range required {
		if !asked(i) {
			continue
		}
		e, found := rarest(required[i], shared)
		if !found {
			x.rest = append(x.rest, i)
			continue
		}
		at, known := places[e.Path]
		if !known {
			at = len(x.paths)
			places[e.Path] = at
			x.paths = append(x.paths, pathIndex{path: e.Path, byValue: map[string][]int{}})
		}
		for _, value := range e.Values {
			x.paths[at].byValue[value] = append(x.paths[at].byValue[value], i)
		}
	}
	return x
}

// rarest is the equality that the fewest conditions share.
func rarest(required []Equality, shared map[Path]map[string]int) (best Equality, found bool) {
	fewest := 0
	for _, e := range required {
		n := 0
		for _, value := range e.Values {
			n += shared[e.Path][value]
		}
		if !found || n < fewest {
			best, fewest, found = e, n, true
		}
	}
	return best, found
}

// Candidates appends to lists the conditions that may hold at a place. Each list ascends, and no two share a condition.
func (x *Index) Candidates(lists [][]int, at Place, find Lookup) [][]int {
	if len(x.rest) > 0 {
		lists = append(lists, x.rest)
	}
	for i := range x.paths {
		if value, ok := x.paths[i].path.of(at, find); ok {
			if list := x.paths[i].byValue[value]; len(list) > 0 {
				lists = append(lists, list)
			}
		}
	}
	return lists
}

// Next takes the least number out of ascending lists. The second result is false if all are empty.
func Next(lists [][]int) (n int, ok bool) {
	least := -1
	for i, list := range lists {
		if len(list) > 0 && (least < 0 || list[0] < lists[least][0]) {
			least = i
		}
	}
	if least < 0 {
		return 0, false
	}
	n = lists[least][0]
	lists[least] = lists[least][1:]
	return n, true
}
