package scoring

import "fmt"

const (
	// maxBitCells and maxCells bound rows times calls if order matters. If all credits are full, a cell is one bit and 64
	// are computed at once: 32 MiB. Otherwise a cell is two bits and takes some nanoseconds: 16 MiB.
	maxBitCells = 1 << 28
	maxCells    = 1 << 26
)

func tooManyCells(limit int) string {
	return fmt.Sprintf("expected tools times calls are more than the %d that can be put in order", limit)
}

// inOrder finds the pairs of greatest credit that do not cross in some order of the calls that may be taken. If it cannot,
// it returns why, else "".
func (w *nativeRun) inOrder(p *plan) string {
	if why := w.inOrderAsStarted(p); why != "" {
		return why
	}
	_, why := w.reorder(p, skipping, w.weight(p))
	return why
}

// inOrderAsStarted is inOrder with the calls in the order of the list.
func (w *nativeRun) inOrderAsStarted(p *plan) string {
	w.credits.group(len(p.classes))
	cells := len(p.rows) * len(w.calls)
	if len(p.required) == len(p.rows) && !w.credits.fractional {
		if cells > maxBitCells {
			return tooManyCells(maxBitCells)
		}
		w.longestCommon(p)
		return ""
	}
	if cells > maxCells {
		return tooManyCells(maxCells)
	}
	w.alignOrdered(p, skipping)
	return ""
}

// exactOrder pairs position by position. fits is false if a call or a required row would have no partner. Then the pairs
// are those of inOrder, to explain what is wrong.
func (w *nativeRun) exactOrder(p *plan) (fits bool, why string) {
	if len(p.required) < len(p.rows) {
		return w.exactWithOptional(p)
	}
	if len(p.rows) != len(w.calls) {
		w.broken = notAsMany(w.broken, len(p.rows), len(w.calls))
		w.explain(p)
		return false, ""
	}
	for _, e := range w.credits.edges {
		if p.rows[e.call].class == e.class {
			w.rowOf[e.call], w.creditOf[e.call] = e.call, e.credit
		}
	}
	return w.reorder(p, consuming, w.weight(p))
}

func (w *nativeRun) exactWithOptional(p *plan) (fits bool, why string) {
	if len(p.rows)*len(w.calls) > maxCells {
		return false, tooManyCells(maxCells)
	}
	w.credits.group(len(p.classes))
	started := impossible
	if w.alignOrdered(p, consuming) {
		started = w.weight(p)
	}
	if fits, why = w.reorder(p, consuming, started); fits || why != "" {
		return fits, why
	}
	w.notes = append(w.notes, "the calls do not follow the expected ones position by position")
	w.explain(p)
	return false, ""
}

// explain pairs in order after exact pairing failed. If that is too much work there are no pairs. The score is 0 either
// way.
func (w *nativeRun) explain(p *plan) {
	if w.inOrder(p) != "" {
		w.guessed = true
	}
}

// A skipRule says which rows and calls an ordered alignment may leave out.
type skipRule uint8

const (
	skipping  skipRule = iota // rows and calls may both be left out
	consuming                 // each call has a row and each required row a call, even with a credit of 0
)

// A choice is how the best alignment reaches a cell: by skipping the row, by skipping the call, or by pairing both.
type choice uint8

const (
	passRow choice = iota
	passCall
	pairBoth
)

// An alignmentDP is the table of dynamic programming over the first rows and the first calls. A cell has the weight of the
// best alignment so far. It keeps two rows of weights, and all choices at two bits each, because the walk back needs
// every choice but no weight.
//
// Ties prefer to skip the row, then the call. Walking back, this leaves out late rows and calls, so among equals the first
// tool gets the first call.
type alignmentDP struct {
	plan       *plan
	skipRule   skipRule
	above, now []weight
	gain       []int64 // by call: its credit in the current row
	choices    []uint8
}

// impossible is the weight of a cell that no alignment reaches.
var impossible = weight{Major: -1}

// alignOrdered finds the best alignment under a rule. It reports false if there is none.
func (w *nativeRun) alignOrdered(p *plan, d skipRule) bool {
	n := len(w.calls)
	v := &w.dp
	v.plan, v.skipRule = p, d
	v.above, v.now = filled(v.above, n+1, weight{}), resized(v.now, n+1)
	v.gain = filled(v.gain, n, 0)
	v.choices = filled(v.choices, (len(p.rows)*(n+1)+3)/4, 0)
	if d == consuming {
		for j := 1; j <= n; j++ {
			v.above[j] = impossible
		}
	}
	for r := range p.rows {
		for _, e := range w.credits.of(p.rows[r].class) {
			v.gain[e.call] = e.credit
		}
		v.row(r)
		for _, e := range w.credits.of(p.rows[r].class) {
			v.gain[e.call] = 0
		}
		v.above, v.now = v.now, v.above
	}
	if v.above[n] == impossible {
		return false
	}
	w.unravel(v)
	return true
}

// row fills one row of the table.
func (v *alignmentDP) row(r int) {
	need := v.plan.rows[r].need
	for j := range v.now {
		best, how := impossible, passRow
		if v.skipRule == skipping || need != required {
			best = v.above[j]
		}
		if v.skipRule == skipping && j > 0 && best.Less(v.now[j-1]) {
			best, how = v.now[j-1], passCall
		}
		if j > 0 {
			if paired := v.paired(r, j); best.Less(paired) {
				best, how = paired, pairBoth
			}
		}
		v.now[j] = best
		at := r*len(v.now) + j
		v.choices[at/4] |= uint8(how) << (at % 4 * 2)
	}
}

// paired is the weight of pairing row r with call j-1. An endless row may take the next call as well.
func (v *alignmentDP) paired(r, j int) weight {
	need, gain := v.plan.rows[r].need, v.gain[j-1]
	before := v.above[j-1]
	if need == endless {
		before = v.now[j-1]
	}
	worthless := gain == 0 && (v.skipRule == skipping || need != required)
	if worthless || before == impossible {
		return impossible
	}
	return before.Plus(weightOf(need, gain))
}

func (v *alignmentDP) choice(r, j int) choice {
	at := r*len(v.now) + j
	return choice(v.choices[at/4] >> (at % 4 * 2) & 3)
}

// unravel walks the choices back and writes the pairs down.
func (w *nativeRun) unravel(v *alignmentDP) {
	r, j := len(v.plan.rows)-1, len(w.calls)
	for r >= 0 {
		switch v.choice(r, j) {
		case passRow:
			r--
		case passCall:
			j--
		case pairBoth:
			j--
			w.pairUp(v.plan, r, j)
			if v.plan.rows[r].need != endless {
				r--
			}
		}
	}
}

// pairUp pairs a row with a call if the credit is above 0.
func (w *nativeRun) pairUp(p *plan, r, call int) {
	edges := w.credits.of(p.rows[r].class)
	if i, ok := searchCall(edges, int32(call)); ok {
		w.rowOf[call], w.creditOf[call] = int32(r), edges[i].credit
	}
}
