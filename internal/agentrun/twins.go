package agentrun

// twins says for each run which one it is the same as: itself, or one before it. Two instrumentations told of one run
// if a call of the same id, name and time has a span in each, and if no other run that shares it has more of its time in
// common: a sub-agent's call may count for its caller as well.
func twins(runs []Run) []int {
	sharing := make(map[string][]place)
	for i := range runs {
		for c := range runs[i].Calls {
			if id := runs[i].Calls[c].CallID; Telling(id) && len(sharing[id]) < maxSharing {
				sharing[id] = append(sharing[id], place{i, c})
			}
		}
	}
	of := make([]int, len(runs))
	for i := range runs {
		of[i] = i
	}
	for i := range runs {
		if best := nearest(runs, i, sharing); best >= 0 {
			a, b := rootOf(of, i), rootOf(of, best)
			of[max(a, b)] = min(a, b)
		}
	}
	for i := range of {
		of[i] = rootOf(of, i)
	}
	return of
}

// maxSharing bounds how many runs are compared for one call id.
const maxSharing = 16

func rootOf(of []int, i int) int {
	for of[i] != i {
		i = of[i]
	}
	return i
}

// nearest is the run that shares a call with runs[i] and most of the time in common with it, at least the half; or -1.
func nearest(runs []Run, i int, sharing map[string][]place) int {
	best, most := -1, 0.5
	for c := range runs[i].Calls {
		mine := &runs[i].Calls[c]
		for _, other := range sharing[mine.CallID] {
			theirs := &runs[other.run].Calls[other.call]
			if other.run == i || theirs.Trace == mine.Trace && theirs.ID == mine.ID ||
				!overlap(theirs.Span, mine.Span) || folded(theirs.Name) != folded(mine.Name) {
				continue
			}
			if common := common(runs[i].span(), runs[other.run].span()); common >= most && (best < 0 || common > most || other.run < best) {
				best, most = other.run, common
			}
		}
	}
	return best
}

// common is the share of the time of both spans that is common to them, from 0 to 1.
func common(a, b Span) float64 {
	if !overlap(a, b) {
		return 0
	}
	all := max(a.End, b.End) - min(a.Start, b.Start)
	if all == 0 {
		return 1
	}
	return float64(min(a.End, b.End)-max(a.Start, b.Start)) / float64(all)
}
