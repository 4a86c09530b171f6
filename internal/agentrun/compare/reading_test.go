package compare

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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

// object has n members, in the order of their numbers or in the opposite order.
func object(n int, down bool) scoring.Payload {
	members := make([]string, n)
	for i := range members {
		at := i
		if down {
			at = n - 1 - i
		}
		members[at] = `"` + strconv.Itoa(i) + `":1`
	}
	return scoring.JSON("{" + strings.Join(members, ",") + "}")
}

func TestPayloadsAreReadWithinABound(t *testing.T) {
	long := strings.Repeat("[,", 8*MaxValues)
	for _, tc := range []struct {
		name       string
		a, b       scoring.Payload
		same, over bool
		most       Work
		reason     string
	}{
		{"few members in another order", object(100, false), object(100, true), true, false, 100, "both are read"},
		{"many members in the same order", object(MaxValues, false), object(MaxValues, false), true, false, MaxValues, "their texts are equal"},
		{"many members in another order", object(MaxValues, false), object(MaxValues, true), false, true, MaxValues, "to read them takes too long"},
		{"a long text in an object", scoring.JSON(`{"a":"` + long + `"}`), scoring.JSON(`{"a": "` + long + `"}`), true, false, MaxValues, "a text is one value"},
		{"a long text", scoring.JSON(`"` + long + `"`), scoring.Text(long), true, false, MaxValues, "a text is one value, written as JSON or not"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			call := func(p scoring.Payload) *agentrun.PendingCall {
				return &agentrun.PendingCall{Payloads: &agentrun.CallPayloads{Arguments: p, Output: p}}
			}
			ways := map[string]func(c *Calls) bool{
				"arguments": func(c *Calls) bool { return c.SameArguments(call(tc.a), call(tc.b)) },
				"outputs":   func(c *Calls) bool { return c.SameOutput(call(tc.a), call(tc.b)) },
				"payloads":  func(c *Calls) bool { return c.EqualPayloads(tc.a, tc.b, new(Payload), new(Payload)) },
				"digests": func(c *Calls) bool {
					return tc.a == tc.b || c.Digest(tc.a, new(Payload)) == c.Digest(tc.b, new(Payload)) && !c.Over()
				},
				"after another": func(c *Calls) bool {
					c.SameOutput(call(tc.a), call(tc.b))
					return c.SameArguments(call(tc.a), call(tc.b))
				},
			}
			for way, same := range ways {
				var w Work
				c := NewCalls(&w)
				require.Equal(t, tc.same, same(&c), "%s: %s", way, tc.reason)
				require.Equal(t, tc.over, c.Over(), way)
				require.LessOrEqual(t, w, 8*tc.most, way)
			}
		})
	}
}

// Arguments without a name, and requests for them.
func TestOnlyMembersAreReadWithinABound(t *testing.T) {
	c := NewCalls(new(Work))
	var few, many OnlyMember
	require.True(t, c.OnlyMember(scoring.JSON(`{"q":"{}"}`), &few).Is(c.Digest(scoring.Text("{}"), new(Payload))))
	require.True(t, c.IsTextOf(scoring.JSON("{}"), &few))
	require.False(t, c.Over())
	require.False(t, c.IsTextOf(object(MaxValues, false), &few), "it has too many values")
	require.True(t, c.Over())
	require.False(t, c.OnlyMember(scoring.JSON(`{"q":"{}"}`), &many).Is(c.Digest(scoring.Text("{}"), new(Payload))), "nothing is read any more")
}
