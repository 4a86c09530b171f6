// Package steps counts work against a bound, so that no input takes longer than the bound allows.
//
// A step is about the work on one byte. The caller counts steps before it does the work, and stops when the budget is spent.
// steps.go is the whole package.
package steps

// A Budget is how many steps are left. The zero value has none.
type Budget struct{ left int }

// Of returns a budget of n steps.
func Of(n int) Budget { return Budget{n} }

// Spend takes n steps. It returns false if the budget has fewer, and the budget is then spent.
func (b *Budget) Spend(n int) bool {
	if n > b.left {
		b.left = -1
		return false
	}
	b.left -= n
	return true
}

// Left returns how many steps are left, or 0.
func (b *Budget) Left() int { return max(b.left, 0) }

// Spent reports whether Spend has returned false.
func (b *Budget) Spent() bool { return b.left < 0 }
