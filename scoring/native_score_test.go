package scoring

import (
	"math/big"
	"testing"
)

func TestFullIsDivisible(t *testing.T) {
	for n := int64(1); n <= 36; n++ {
		if full%n != 0 {
			t.Errorf("a share of %d keys is no whole number of units", n)
		}
	}
	var most big.Int
	most.Mul(big.NewInt(full), big.NewInt(2*maxCalls))
	if !most.IsUint64() || !new(big.Int).Div(&most, big.NewInt(2)).IsInt64() {
		t.Error("a sum of credits may overflow")
	}
}
