package scoring

import (
	"strings"
	"testing"
)

// naiveLCS is the textbook's longest common subsequence.
func naiveLCS(a, b []string) int {
	above := make([]int, len(b)+1)
	for i := range a {
		now := make([]int, len(b)+1)
		for j := range b {
			if now[j+1] = max(above[j+1], now[j]); a[i] == b[j] {
				now[j+1] = above[j] + 1
			}
		}
		above = now
	}
	return above[len(b)]
}

// FuzzInOrder compares pairs in order with the textbook's table, for longer lists than brute force can try.
func FuzzInOrder(f *testing.F) {
	f.Add([]byte("abcbdab"), []byte("bdcaba"))
	f.Add([]byte(strings.Repeat("ab", 50)), []byte(strings.Repeat("ba", 70)))
	f.Add([]byte(strings.Repeat("a", 64)), []byte(strings.Repeat("a", 64)))
	f.Add([]byte(strings.Repeat("abc", 43)), []byte(strings.Repeat("acb", 64)))
	f.Fuzz(func(t *testing.T, expected, called []byte) {
		if len(expected)+len(called) > 500 {
			return
		}
		var names [2][]string
		for i, list := range [][]byte{expected, called} {
			for _, c := range list {
				names[i] = append(names[i], string('a'+c%8))
			}
		}
		tools, calls := make([]Tool, len(expected)), make([]Call, len(called))
		for i, name := range names[0] {
			tools[i].Name = name
		}
		for j, name := range names[1] {
			calls[j].Name = name
		}
		o := DefaultNative()
		o.Order = InOrder
		v := judge(t, o, expectation(t, ExpectationSettings{Tools: tools}), calls)
		checkPairs(t, v)
		last := -1
		for _, p := range v.Alignment.Pairs {
			if p.Called <= last {
				t.Errorf("pairs cross: %v", v.Alignment.Pairs)
			}
			last = p.Called
		}
		if want := naiveLCS(names[0], names[1]); len(v.Alignment.Pairs) != want {
			t.Errorf("%d pairs, the longest common subsequence has %d", len(v.Alignment.Pairs), want)
		}
	})
}
