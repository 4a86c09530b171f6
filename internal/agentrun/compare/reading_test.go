package compare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// object has n members, in the order of their numbers or in the opposite order.
func object(n int, down bool) scoring.Payload { return scoring.JSON(runtest.Object(n, down)) }

func TestPayloadsAreReadWithinABound(t *testing.T) {
	long := strings.Repeat("[,", 8*compare.MaxValues)
	for _, tc := range []struct {
		name       string
		a, b       scoring.Payload
		same, over bool
		most       compare.Work
		reason     string
	}{
		{"few members in another order", object(100, false), object(100, true), true, false, 100, "both are read"},
		{"many members in the same order", object(compare.MaxValues, false), object(compare.MaxValues, false), true, false, compare.MaxValues, "their texts are equal"},
		{"many members in another order", object(compare.MaxValues, false), object(compare.MaxValues, true), false, true, compare.MaxValues, "to read them takes too long"},
		{"a long text in an object", scoring.JSON(`{"a":"` + long + `"}`), scoring.JSON(`{"a": "` + long + `"}`), true, false, compare.MaxValues, "a text is one value"},
		{"a long text", scoring.JSON(`"` + long + `"`), scoring.Text(long), true, false, compare.MaxValues, "a text is one value, written as JSON or not"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			call := func(p scoring.Payload) *agentrun.PendingCall {
				return &agentrun.PendingCall{Payloads: &agentrun.CallPayloads{Arguments: p, Output: p}}
			}
			ways := map[string]func(c *compare.Calls) bool{
				"arguments": func(c *compare.Calls) bool { return c.SameArguments(call(tc.a), call(tc.b)) },
				"outputs":   func(c *compare.Calls) bool { return c.SameOutput(call(tc.a), call(tc.b)) },
				"payloads": func(c *compare.Calls) bool {
					return c.EqualPayloads(tc.a, tc.b, new(compare.Payload), new(compare.Payload))
				},
				"digests": func(c *compare.Calls) bool {
					return tc.a == tc.b || c.Digest(tc.a, new(compare.Payload)) == c.Digest(tc.b, new(compare.Payload)) && !c.Over()
				},
				"after another": func(c *compare.Calls) bool {
					c.SameOutput(call(tc.a), call(tc.b))
					return c.SameArguments(call(tc.a), call(tc.b))
				},
			}
			for way, same := range ways {
				var w compare.Work
				c := compare.NewCalls(&w)
				require.Equal(t, tc.same, same(&c), "%s: %s", way, tc.reason)
				require.Equal(t, tc.over, c.Over(), way)
				require.LessOrEqual(t, w, 8*tc.most, way)
			}
		})
	}
}

// Arguments without a name, and requests for them.
func TestOnlyMembersAreReadWithinABound(t *testing.T) {
	c := compare.NewCalls(new(compare.Work))
	var few, many compare.OnlyMember
	require.True(t, c.OnlyMember(scoring.JSON(`{"q":"{}"}`), &few).Is(c.Digest(scoring.Text("{}"), new(compare.Payload))))
	require.True(t, c.IsTextOf(scoring.JSON("{}"), &few))
	require.False(t, c.Over())
	require.False(t, c.IsTextOf(object(compare.MaxValues, false), &few), "it has too many values")
	require.True(t, c.Over())
	require.False(t, c.OnlyMember(scoring.JSON(`{"q":"{}"}`), &many).Is(c.Digest(scoring.Text("{}"), new(compare.Payload))), "nothing is read any more")
}
