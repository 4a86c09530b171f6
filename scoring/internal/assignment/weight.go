package assignment

// A Weight is a gain of two ranks. Any amount of Major outweighs all of Minor.
type Weight struct{ Major, Minor int64 }

// Plus adds both ranks.
func (a Weight) Plus(b Weight) Weight { return Weight{a.Major + b.Major, a.Minor + b.Minor} }

// Minus subtracts both ranks.
func (a Weight) Minus(b Weight) Weight { return Weight{a.Major - b.Major, a.Minor - b.Minor} }

// Less compares by Major, then by Minor.
func (a Weight) Less(b Weight) bool {
	return a.Major < b.Major || a.Major == b.Major && a.Minor < b.Minor
}
