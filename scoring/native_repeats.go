package scoring

// collapse lets the first of each stretch of identical calls count, and returns the indices of the others.
func (w *nativeRun) collapse() []int {
	if w.options.Repeats != CollapseRepeats {
		return nil
	}
	var repeats []int
	var counted []Call
	for i := range w.run {
		if i > 0 && w.same(&w.run[i-1], &w.run[i]) {
			repeats = append(repeats, i)
			continue
		}
		w.kept = append(w.kept, int32(i))
		counted = append(counted, w.run[i])
	}
	w.calls = counted
	return repeats
}

// same reports whether two calls have the same name and arguments. If the arguments of both were not captured, the names
// decide. Arguments that are too large are never the same, because they may differ.
func (w *nativeRun) same(a, b *Call) bool {
	if a.Name != b.Name {
		return false
	}
	if !a.Arguments.Captured() || !b.Arguments.Captured() {
		return a.Arguments == Payload{} && b.Arguments == Payload{}
	}
	if a.Arguments == b.Arguments {
		return true
	}
	w.previous.unread, w.arguments.unread = true, true
	x, _ := w.previous.read("", "", a.Arguments)
	y, _ := w.arguments.read("", "", b.Arguments)
	return Equal(orEmptyObject(x), orEmptyObject(y))
}

// inRun is the index in the run of a call that counts.
func (w *nativeRun) inRun(call int) int {
	if len(w.kept) == 0 {
		return call
	}
	return int(w.kept[call])
}
