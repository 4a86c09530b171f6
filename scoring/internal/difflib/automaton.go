package difflib

// scanFactor is the number of scan steps that take as long as one character in trace.
const scanFactor = 64

// dense reports whether scan would visit too many pairs of places, so that trace is cheaper.
func (d *textDiff) dense(alo, ahi, blo, bhi int) bool {
	na, nb := ahi-alo, bhi-blo
	bound := scanFactor * (na + nb)
	if na < scanFactor || nb < scanFactor {
		return false // then na*nb is below the bound
	}
	pairs := 0
	for _, i := range d.hotIn(alo, ahi) {
		if pairs += len(d.placesIn(d.a[i], blo, bhi)); pairs > bound {
			return true
		}
	}
	return false
}

// trace finds the same block as scan, in time linear in both ranges: it reads a through the suffix automaton of b.
//
// After each character of a, the automaton knows the longest run that ends there and occurs in b, and where in b it first
// ends. So a run that is longer than all before is the first of its length in a, at its first place in b. scan makes the same
// choice.
func (d *textDiff) trace(alo, ahi, blo, bhi int) block {
	cost := scanFactor * (ahi - alo + bhi - blo)
	d.work.left -= cost
	if d.work.Spent() {
		return block{}
	}
	runs := d.automaton(blo, bhi)
	var best block
	state, k := root, int32(0)
	for i, c := range d.a[alo:ahi] {
		if !d.indexed(c) {
			state, k = root, 0
			continue
		}
		state, k = runs.follow(state, k, c)
		if int(k) > best.size {
			best = block{alo + i + 1 - int(k), int(runs.states[state].first) + 1 - int(k), int(k)}
		}
	}
	return best
}

// root is the automaton's state for the empty text.
const root = int32(0)

// A suffixAutomaton recognises the runs of a text. A state is all runs that end at the same places.
type suffixAutomaton struct {
	states []suffixState
	// next maps a state and a character to the next state.
	next map[suffixEdge]int32
	// chars holds, for each state, a linked list of the characters that have a next state.
	chars []suffixChar
}

type suffixState struct {
	longest int32 // the length of the longest run of the state
	link    int32 // the state of the longest suffix that ends at more places; -1 for the root
	first   int32 // the first place where the state's runs end
	chars   int32 // the head of the state's list in chars, -1 for none
}

type suffixEdge struct{ state, char int32 }

type suffixChar struct{ char, tail int32 }

// automaton builds the automaton of b[blo:bhi]. All characters that are not indexed become one that is never read, so that no
// run contains them.
func (d *textDiff) automaton(blo, bhi int) *suffixAutomaton {
	n := bhi - blo
	s := &suffixAutomaton{
		states: make([]suffixState, 1, 2*n+1),
		next:   make(map[suffixEdge]int32, 2*n),
		chars:  make([]suffixChar, 0, 3*n),
	}
	s.states[root] = suffixState{link: -1, chars: -1}
	last := root
	for j := blo; j < bhi; j++ {
		c := d.b[j]
		if !d.indexed(c) {
			c = -1
		}
		last = s.extend(last, c, int32(j))
	}
	return s
}

// extend appends c, at place j, to the text. last is the state of the whole text so far. It returns the state of the new one.
// This is the textbook construction: at most two states and three edges for each character, amortised.
func (s *suffixAutomaton) extend(last, c, j int32) int32 {
	whole := s.add(suffixState{longest: s.states[last].longest + 1, link: root, first: j, chars: -1})
	p := last
	for p >= 0 {
		if _, ok := s.next[suffixEdge{p, c}]; ok {
			break
		}
		s.lead(p, c, whole)
		p = s.states[p].link
	}
	if p >= 0 {
		s.states[whole].link = s.split(p, c)
	}
	return whole
}

// split returns the state of the longest run of p followed by c. If longer runs share that state, it makes a new one.
func (s *suffixAutomaton) split(p, c int32) int32 {
	q := s.next[suffixEdge{p, c}]
	if s.states[q].longest == s.states[p].longest+1 {
		return q
	}
	own := s.states[q]
	own.longest, own.chars = s.states[p].longest+1, -1
	clone := s.add(own)
	for at := s.states[q].chars; at >= 0; at = s.chars[at].tail {
		char := s.chars[at].char
		s.lead(clone, char, s.next[suffixEdge{q, char}])
	}
	s.states[q].link = clone
	for p >= 0 && s.next[suffixEdge{p, c}] == q {
		s.next[suffixEdge{p, c}] = clone
		p = s.states[p].link
	}
	return clone
}

// add appends a state.
func (s *suffixAutomaton) add(state suffixState) int32 {
	s.states = append(s.states, state)
	return int32(len(s.states) - 1)
}

// lead adds an edge for c between two states.
func (s *suffixAutomaton) lead(from, c, to int32) {
	s.next[suffixEdge{from, c}] = to
	s.chars = append(s.chars, suffixChar{c, s.states[from].chars})
	s.states[from].chars = int32(len(s.chars) - 1)
}

// follow reads c where the last k characters are in state, and returns the longest run that then ends.
func (s *suffixAutomaton) follow(state, k, c int32) (int32, int32) {
	for {
		if to, ok := s.next[suffixEdge{state, c}]; ok {
			return to, k + 1
		}
		if state == root {
			return root, 0
		}
		state = s.states[state].link
		k = s.states[state].longest
	}
}
