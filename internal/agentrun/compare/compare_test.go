package compare

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestACallIsFoundByIDAndName(t *testing.T) {
	const unique, counted = "call_abcdefgh", "call_0"
	var x CallIndex[int]
	x.Add(unique, "get_weather", 1)
	x.Add(unique, "search", 2)
	x.Add(counted, "search", 3)
	for _, tc := range []struct {
		id, name string
		want     int // 0: not found
		reason   string
	}{
		{unique, "get_weather", 1, "it was added"},
		{unique, "GetWeather", 1, "the name is the same tool's"},
		{unique, "Search", 2, "a sender may give two calls one ID"},
		{unique, "refund", 0, "an ID alone proves nothing"},
		{counted, "search", 0, "several calls may have such an ID"},
	} {
		if got, _ := x.Find(tc.id, tc.name); got != tc.want {
			t.Errorf("%s %s is at %d, want %d: %s", tc.id, tc.name, got, tc.want, tc.reason)
		}
	}
}

// FindOrAdd returns what Find returns, and adds what Add adds.
func TestACallIsFoundOrAddedAtOnce(t *testing.T) {
	const unique, counted = "call_abcdefgh", "call_0"
	var one CallIndex[int]
	two := NewCallIndex[int](1)
	for i, c := range []struct{ id, name, reason string }{
		{unique, "get_weather", "the ID is new"},
		{unique, "get_weather", "ID and name are known"},
		{unique, "search", "the ID is known, and the name is new"},
		{unique, "Search", "the name is known in another form"},
		{unique, "GetWeather", "likewise, of the first call of the ID"},
		{counted, "search", "several calls may have such an ID"},
		{counted, "search", "so it is never known"},
	} {
		want, known := one.Find(c.id, c.name)
		if !known {
			one.Add(c.id, c.name, i)
		}
		if got, found := two.FindOrAdd(c.id, c.name, i); got != want || found != known {
			t.Errorf("%s %s is at %d (%v), want %d (%v): %s", c.id, c.name, got, found, want, known, c.reason)
		}
	}
}

// A payload or a name is read once, for any number of comparisons.
func TestWhatIsComparedIsReadOnce(t *testing.T) {
	long := strings.Repeat("a", 100*WorkBytes)
	p, q := scoring.JSON(`["`+long+`"]`), scoring.JSON(`[ "`+long+`"]`)
	var x, y Payload
	var n Name
	var w Work
	const times = 1000
	for range times {
		if !EqualPayloads(p, q, &x, &y, &w) {
			t.Fatal("payloads with equal content differ")
		}
		n.Folded(long, &w)
	}
	if w > 2*times {
		t.Errorf("%d comparisons are %d units of work", times, w)
	}
}

func TestValuesOfAText(t *testing.T) {
	for _, tc := range []struct {
		text   string
		want   int
		reason string
	}{
		{`1`, 1, "it is a value"},
		{`{"a":1,"b":[2,"x"]}`, 5, "the object, the list, two numbers and a text"},
		{`[]`, 2, "an empty list counts more, and never less"},
		{`["a,[{"]`, 2, "a text is one value"},
		{`["\",\"","\\",1]`, 4, "an escaped quote does not end a text"},
		{`[1,2,3,4,5,6,7,8,9,10,11,12]`, 11, "it stops when they are too many"},
	} {
		t.Run(tc.text, func(t *testing.T) { require.Equal(t, tc.want, valuesIn(tc.text, 10), tc.reason) })
	}
}
