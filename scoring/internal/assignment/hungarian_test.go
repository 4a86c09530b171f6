package assignment

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// full is a gain that all the divisors of the tests divide.
const full = 5 * 7 * 9 * 16

// FuzzAssign holds the assignment of small tables against trying every one.
func FuzzAssign(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(2))
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 1))
		rows := 1 + random.IntN(5)
		columns := rows + random.IntN(3)
		cells := make([]Weight, rows*columns)
		kinds := []Weight{{}, {full, 0}, {full / 2, 0}, {full / 3, 0}, {0, full}, {0, full / 7}}
		for i := range cells {
			cells[i] = kinds[random.IntN(len(kinds))]
		}
		var got Weight
		used := map[int]bool{}
		gains := Gains{rows, columns, cells}
		for _, p := range gains.Assign() {
			if used[p[0]] || used[-1-p[1]] {
				t.Errorf("row or column of %v is used twice", p)
			}
			used[p[0]], used[-1-p[1]] = true, true
			got = got.Plus(cells[p[0]*columns+p[1]])
		}
		if want := bestAssignment(cells, columns, 0, map[int]bool{}); got != want {
			t.Errorf("assigned %v, the best is %v", got, want)
		}
		for first, got := range gains.Totals() {
			if want := bestAssignment(cells[:first*columns], columns, 0, map[int]bool{}); got != want {
				t.Errorf("the first %d rows have %v, the best is %v", first, got, want)
			}
		}
	})
}

// bestAssignment tries every column for each row, none included.
func bestAssignment(cells []Weight, columns, row int, used map[int]bool) Weight {
	if row*columns == len(cells) {
		return Weight{}
	}
	best := bestAssignment(cells, columns, row+1, used)
	for j := range columns {
		if used[j] {
			continue
		}
		used[j] = true
		if w := cells[row*columns+j].Plus(bestAssignment(cells, columns, row+1, used)); best.Less(w) {
			best = w
		}
		used[j] = false
	}
	return best
}

// BenchmarkAssign: what does the assignment cost, compared with brute force?
func BenchmarkAssign(b *testing.B) {
	for _, n := range []int{8, 100} {
		random := rand.New(rand.NewPCG(uint64(n), 1))
		g := NewGains(n, n, func(int, int) Weight { return Weight{Major: full / 36 * random.Int64N(37)} })
		b.Run(fmt.Sprintf("form=hungarian/calls=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(g.Assign()) != n {
					b.Fatal("not all are assigned")
				}
			}
		})
		if n > 8 {
			continue
		}
		b.Run(fmt.Sprintf("form=naive/calls=%d", n), func(b *testing.B) {
			for b.Loop() {
				bestAssignment(g.cells, n, 0, map[int]bool{})
			}
		})
	}
}
