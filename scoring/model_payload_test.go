package scoring

import (
	"cmp"
	"testing"
)

// The order is that of the texts of AppendJSON, if no character needs an escape.
func TestPayloadCompare(t *testing.T) {
	inOrder := []Payload{JSON(" 1"), Text("a"), Text("ab"), Text("b"), JSON("1"), JSON("[1]"), {}, JSON("true"), JSON(`{"a":1}`)}
	for i, p := range inOrder {
		for j, q := range inOrder {
			if got, want := p.Compare(q), cmp.Compare(i, j); got != want {
				t.Errorf("%q compared with %q is %d, want %d", p.AppendJSON(nil), q.AppendJSON(nil), got, want)
			}
			if got, want := p.Compare(q), cmp.Compare(string(p.AppendJSON(nil)), string(q.AppendJSON(nil))); got != want {
				t.Errorf("%q compared with %q is %d, and what is written %d", p.AppendJSON(nil), q.AppendJSON(nil), got, want)
			}
		}
	}
	for _, same := range [][2]Payload{{{}, Omitted()}, {TooLarge(), JSON("null")}, {Text("a"), JSON(`"a`)}} {
		if same[0].Compare(same[1]) != 0 || same[1].Compare(same[0]) != 0 {
			t.Errorf("%v and %v are not written alike", same[0], same[1])
		}
	}
}
