package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"

// isAfter reports whether call j came after a call of each tool that t names in After, whatever that call's arguments. Calls without an
// order among each other (see [ConcurrentAnyOrder]) may have either order, so both came after the other.
func (w *nativeRun) isAfter(t *Tool, j int) bool {
	at := w.inRun(j)
	for _, pattern := range t.After {
		first := w.firstOf(pattern, at)
		if first < 0 || first > at && !w.mayBeBefore(first, at) {
			return false
		}
	}
	return true
}

// firstOf returns the first call of the run that a pattern names, other than one, or -1.
func (w *nativeRun) firstOf(pattern string, other int) int {
	firsts, known := w.firsts[pattern]
	if !known {
		firsts = [2]int{-1, -1}
		found := 0
		for i := 0; i < len(w.run) && found < len(firsts) && !w.work.Spent(); i++ {
			if w.work.Match(pattern, w.run[i].Name) {
				firsts[found] = i
				found++
			}
		}
		if w.firsts == nil {
			w.firsts = map[string][2]int{}
		}
		w.firsts[pattern] = firsts
	}
	if firsts[0] == other {
		return firsts[1]
	}
	return firsts[0]
}

// mayBeBefore reports whether a call may come before one that began earlier, because both ran at the same time.
func (w *nativeRun) mayBeBefore(call, earlier int) bool {
	a, b := match.Interval(w.run[call].Time), match.Interval(w.run[earlier].Time)
	return w.options.Concurrent == ConcurrentAnyOrder && a != (match.Interval{}) && b != (match.Interval{}) && !b.Before(a)
}
