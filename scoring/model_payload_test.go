package scoring

import (
	"cmp"
	"testing"
)

// Every payload has one place in the order.
func TestPayloadCompare(t *testing.T) {
	inOrder := []Payload{Omitted(), JSON(" 1"), JSON(`"a`), JSON("1"), Text(""), Text("a"), Text("ab"), Text("b"), {}, TooLarge()}
	for i, p := range inOrder {
		for j, q := range inOrder {
			if got, want := p.Compare(q), cmp.Compare(i, j); got != want {
				t.Errorf("%q compared with %q is %d, want %d", p.AppendJSON(nil), q.AppendJSON(nil), got, want)
			}
		}
	}
}
