package agentrun

// twins says for each run which one it is the same as: itself, or one before it. Two instrumentations told of one run
// if a call of the same id, name and time has a span in each, and if no other run that shares it has more of its time in
// common: a sub-agent's call may count for its caller as well.
func twins(runs []Run, w *work) []int {
	sharing := make(map[string][]sharer)
	for i := range runs {
		for c := range runs[i].Calls {
			if id := runs[i].Calls[c].CallID; Telling(id) && len(sharing[id]) < maxSharing {
				sharing[id] = append(sharing[id], sharer{place: place{i, c}})
			}
		}
	}
	of := make([]int, len(runs))
	for i := range runs {
		of[i] = i
	}
	for i := range runs {
		if best := nearest(runs, i, sharing, w); best >= 0 {
			a, b := rootOf(of, i, w), rootOf(of, best, w)
			of[max(a, b)] = min(a, b)
		}
	}
	for i := range of {
		of[i] = rootOf(of, i, w)
	}
	return of
}

// maxSharing bounds how many runs are compared for one call id.
const maxSharing = 16

// sharer is a call that shares its id with others.
type sharer struct {
	place
	name name
}

// rootOf halves the way for the next one, so that no way stays long.
func rootOf(of []int, i int, w *work) int {
	for of[i] != i {
		*w++
		of[i] = of[of[i]]
		i = of[i]
	}
	return i
}

// nearest is the run that shares a call with runs[i] and most of the time in common with it, at least the half; or -1.
func nearest(runs []Run, i int, sharing map[string][]sharer, w *work) int {
	best, most := -1, 0.5
	for c := range runs[i].Calls {
		mine := &runs[i].Calls[c]
		var called name
		others := sharing[mine.CallID]
		for o := range others {
			*w++
			other := &others[o]
			theirs := &runs[other.run].Calls[other.call]
			if other.run == i || theirs.Trace == mine.Trace && theirs.ID == mine.ID ||
				!overlap(theirs.Span, mine.Span) || other.name.of(theirs.Name, w) != called.of(mine.Name, w) {
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
