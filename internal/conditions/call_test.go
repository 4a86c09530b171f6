package conditions

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func parser(tb testing.TB) *Parser {
	p, err := NewParser(componenttest.NewNopTelemetrySettings())
	require.NoError(tb, err)
	return p
}

// refund is a run whose second call has all that a condition may read.
func refund() *Run {
	rs := ptrace.NewResourceSpans()
	scope := rs.ScopeSpans().AppendEmpty()
	anchor := &Place{Resource: rs, Scope: scope, Span: scope.Spans().AppendEmpty()}
	attributes, resource := anchor.Span.Attributes(), rs.Resource().Attributes()
	attributes.PutStr("order.id", "A17")
	attributes.PutInt("limit", 1000)
	anchor.Span.SetStartTimestamp(pcommon.NewTimestampFromTime(time.Date(2026, 11, 21, 23, 59, 0, 0, time.UTC)))
	attributes.PutEmptyMap("user").PutStr("tier", "gold")
	list := attributes.PutEmptySlice("ids")
	list.AppendEmpty().SetStr("A17")
	resource.PutStr("deployment.environment", "prod")
	return &Run{
		Calls: []scoring.Call{
			{Name: "search"},
			{
				Name: "refund_order", Status: scoring.StatusOK,
				Arguments: scoring.JSON(`{"order_id":"A17","amount":12.50,"count":3,"to":{"lines":["a","b"],"zip":"8001"},"express":true,"note":null,"big":12345678901234567890}`),
				Output:    scoring.JSON(`[{"type":"text","text":"{\"status\":\"done\",\"at\":\"2026-11-22T10:00:00Z\"}"}]`),
			},
			{Name: "text", Arguments: scoring.Text("no JSON"), Output: scoring.Text("42 degrees"), Status: scoring.StatusFailed},
			{Name: "none", Arguments: scoring.Omitted(), Output: scoring.JSON("null")},
			{Name: "large", Arguments: scoring.TooLarge(), Output: scoring.TooLarge()},
		},
		Duration: func(call int) (time.Duration, bool) { return 1500 * time.Millisecond, call == 1 },
		Anchor:   anchor,
	}
}

// What each path returns, by conditions on it.
func TestPaths(t *testing.T) {
	const met, unmet, failed = scoring.ConditionMet, scoring.ConditionUnmet, scoring.ConditionFailed
	p := parser(t)
	for _, tc := range []struct {
		where  string
		call   int
		want   scoring.ConditionResult
		reason string
	}{
		{`name == "refund_order"`, 1, met, "the name of the call"},
		{`calls["refund_order"].output["status"] == "done"`, 2, met, "the output of an earlier call"},
		{`calls["refund_order"].output == nil`, 1, met, "a call is not before itself"},
		{`calls["text"].output == nil`, 1, met, "nor is a later one"},
		{`calls["gone"].output["x"] == nil`, 1, met, "a tool that was not called"},
		{`calls["search"].output == nil`, 1, scoring.ConditionNoEarlier, "it was not captured"},
		{`calls[arguments["count"]].output == nil`, 1, failed, "a tool has a name"},
		{`FormatTime(run.start_time, "%Y-%m-%d") == "2026-11-21"`, 1, met, "the day of the run"},
		{`arguments["order_id"] == run.attributes["order.id"]`, 1, met, "a live value"},
		{`arguments["amount"] > 10 and arguments["amount"] < 13`, 1, met, "12.50 is a float"},
		{`arguments["amount"] == 12.5`, 1, met, "by value"},
		{`arguments["count"] == 3 and IsInt(arguments["count"])`, 1, met, "a number without a fraction is an integer"},
		{`arguments["count"] == 3.0`, 1, met, "an integer equals a float"},
		{`arguments["big"] > 12345678901234500000.0`, 1, met, "beyond 64 bits it is a float"},
		{`arguments["count"] <= run.attributes["limit"]`, 1, met, "a limit of the run"},
		{`arguments["to"]["zip"] == "8001"`, 1, met, "nested keys"},
		{`arguments["to"]["lines"][1] == "b"`, 1, met, "an index of a list"},
		{`arguments["to"]["lines"][2] == "b"`, 1, failed, "an index that is out of bounds, as in OTTL"},
		{`arguments["to"]["lines"]["x"] == "b"`, 1, failed, "a list has no names"},
		{`arguments["order_id"]["x"] == "b"`, 1, failed, "a text has no keys"},
		{`arguments["gone"] == nil`, 1, met, "a key that is missing is nil"},
		{`arguments["gone"]["x"][2] == nil`, 1, met, "and so are its keys"},
		{`arguments["note"] == nil`, 1, met, "null is nil"},
		{`arguments["express"] == true`, 1, met, "a truth value"},
		{`arguments["express"] == 1`, 1, unmet, "true is not 1"},
		{`Len(arguments["to"]["lines"]) == 2`, 1, met, "a function of a list"},
		{`ContainsValue(arguments["to"]["lines"], "b")`, 1, met, "likewise"},
		{`Len(Keys(arguments)) == 7`, 1, met, "a function of all arguments"},
		{`IsMatch(arguments["order_id"], "^[A-Z][0-9]+$")`, 1, met, "a regular expression"},
		{`arguments[run.attributes["ids"][0]] == nil`, 1, met, "a key that the run names"},
		{`arguments[name] == nil`, 1, met, "a key that the call names"},
		{`output["status"] == "done"`, 1, met, "content blocks are taken off"},
		{`Time(output["at"], "%Y-%m-%dT%H:%M:%SZ") < Now()`, 1, met, "a time"},
		{`status == "ok" and duration < Duration("2s") and duration > Duration("1s")`, 1, met, "how it ended, and when"},
		{`duration == nil`, 0, met, "a model's message has no duration"},
		{`status == "unset"`, 0, met, "nothing said"},
		{`index == 1`, 1, met, "from 0"},
		{`run.resource.attributes["deployment.environment"] == "prod"`, 1, met, "of the resource"},
		{`run.attributes["user"]["tier"] == "gold"`, 1, met, "a nested attribute"},
		{`run.attributes["gone"]["tier"] == nil`, 1, met, "as in OTTL's own contexts"},
		{`run.attributes["order.id"]["x"] == nil`, 1, failed, "a text has no keys"},
		{`run.attributes["ids"][9] == nil`, 1, failed, "out of bounds"},
		{`Len(run.attributes) == 4`, 1, met, "all attributes"},
		{`arguments == "no JSON"`, 2, met, "a text that is no JSON"},
		{`arguments["x"] == nil`, 2, failed, "it has no keys"},
		{`IsMatch(output, "^[0-9]+ degrees$") and status == "error"`, 2, met, "an output that is a text"},
		{`arguments["x"] == nil and Len(arguments) == 0`, 3, met, "no arguments are an empty map"},
		{`output == nil`, 3, met, "null"},
		{`arguments["x"] == 1`, 0, scoring.ConditionNoArguments, "they were not captured"},
		{`output == nil`, 0, scoring.ConditionNoOutput, "it was not captured, which is not nil"},
		{`name == "search" or arguments["x"] == 1`, 0, met, "they were not read"},
		{`name == "x" and arguments["x"] == 1`, 0, unmet, "likewise"},
		{`arguments["x"] == 1`, 4, scoring.ConditionNoArguments, "too large to be kept"},
		{`Int(name) == 1 or index == 1`, 1, failed, "Int of a text that is no number is an error"},
		{`HasPrefix(index, "x")`, 1, failed, "an integer is no text"},
	} {
		t.Run(tc.where, func(t *testing.T) {
			c, err := p.Where(tc.where)
			require.NoError(t, err)
			r := refund()
			r.Context = t.Context()
			require.Equal(t, tc.want, r.Evaluate(c, tc.call), tc.reason)
			require.Equal(t, tc.where, c.String())
			arguments, output := c.Reads()
			require.Equal(t, strings.Contains(tc.where, "arguments"), arguments, "reads arguments")
			require.Equal(t, strings.Contains(tc.where, "output"), output, "reads the output")
		})
	}
}

// A run without its span has no attributes, which is not the same as empty ones.
func TestRunWithoutAnchor(t *testing.T) {
	c, err := parser(t).Where(`run.attributes["x"] == nil`)
	require.NoError(t, err)
	r := refund()
	r.Context, r.Anchor = t.Context(), nil
	require.Equal(t, scoring.ConditionNoAnchor, r.Evaluate(c, 1))
}

// What the sides of a comparison that does not hold are is quoted only if values may be.
func TestSides(t *testing.T) {
	p := parser(t)
	for _, tc := range []struct {
		where, want string
		call        int
		reason      string
	}{
		{`arguments["amount"] <= 10`, `arguments["amount"] is 12.5`, 1, "a constant needs no words"},
		{`10 >= arguments["amount"]`, `arguments["amount"] is 12.5`, 1, "on either side"},
		{`name == "refund_order" and (arguments["order_id"] == "B9")`, `arguments["order_id"] is "A17"`, 1, "those of the first part that does not hold"},
		{`arguments["gone"] == calls["search"].output`, "", 1, "a side that is not known"},
		{`arguments["to"] == arguments["to"]["lines"]`, `arguments["to"] is a map of 2, arguments["to"]["lines"] is a list of 2`, 1, "large values are not written"},
		{`run.start_time == nil`, `run.start_time is 2026-11-21T23:59:00Z`, 1, "a time"},
		{`duration < Duration("1s")`, `duration is 1.5s, Duration("1s") is 1s`, 1, "a duration"},
		{`IsMatch(name, "x")`, "", 1, "no comparison"},
		{`name == "a" or name == "b"`, "", 1, "it is not known which part was meant"},
		{`arguments["order_id"]["x"] == 1`, "", 1, "a side that fails"},
	} {
		c, err := p.Where(tc.where)
		require.NoError(t, err)
		r := refund()
		r.Context, r.Quote = t.Context(), true
		require.Equal(t, tc.want, r.Sides(c, tc.call), "%s: %s", tc.where, tc.reason)
		r.Quote = false
		require.Empty(t, r.Sides(c, tc.call), tc.where)
	}
}

// A parser that remembers shapes checks those that differ only in constants at the end of a comparison, or in valid expressions, once, and
// finds every fault.
func TestShapesOfConditions(t *testing.T) {
	p := parser(t).Remember(true)
	valid := []string{
		`arguments["a"] == "x" and index < 5`, `arguments["a"] == "y" and index < 7`, `arguments["a"]  ==  "x"  and index < 5`,
		`arguments["b"] == "x" and index < 5`, `arguments["a"] == 5 and index < 5`, `arguments["a"] == "x" or index < 5`,
		`IsMatch(name, "a")`, `IsMatch(name, "b")`, `IsMatch(Concat([name, "a"], ","), "b")`, `arguments["a"] == "\""`, `arguments["a"] == 1.5`, `arguments["a"] == -1`,
	}
	for _, where := range valid {
		_, err := p.Where(where)
		require.NoError(t, err, where)
	}
	require.Len(t, p.known, len(valid)-3, "the first three have one shape, and two matches of a name")
	for _, where := range []string{
		`arguments["a"] == "x" and index < 99999999999999999999`, `arguments["a"] == "x and index < 5`, `IsMatch(name, "(")`, `IsMatch("(", "a") and IsMatch(name, "(")`, `argument["a"] == "x" and index < 5`,
		`arguments["a"] == "x" and index < 5)`, `arguments["a"] = "x" and index < 5`,
	} {
		_, err := p.Where(where)
		require.Error(t, err, where)
	}
}

// A run's attributes are read again for each of its calls, so a long one is read as often as the bound allows.
func TestLongAttributesAreReadWithinABound(t *testing.T) {
	c, err := parser(t).Where(`run.attributes["prompt"] != "x"`)
	require.NoError(t, err)
	for _, tc := range []struct {
		name   string
		bytes  int
		calls  int
		want   scoring.ConditionResult
		reason string
	}{
		{"short", shortValue, 50_000, scoring.ConditionMet, "it costs no more than the rest"},
		{"long, few calls", 64 << 10, MaxShared / (64 << 10), scoring.ConditionMet, "within the bound"},
		{"long, many calls", 64 << 10, MaxShared/(64<<10) + 1, scoring.ConditionTooLong, "beyond it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := refund()
			r.Context = t.Context()
			r.Anchor.Span.Attributes().PutStr("prompt", strings.Repeat("a", tc.bytes))
			r.Calls = make([]scoring.Call, tc.calls)
			var last scoring.ConditionResult
			for i := range r.Calls {
				last = r.Evaluate(c, i)
			}
			require.Equal(t, tc.want, last, tc.reason)
		})
	}
}

// Conditions on calls read no wide span, and no function reads a large value. The run is then not scored.
func TestExtremesAreRefused(t *testing.T) {
	for _, tc := range []struct {
		claim, where string
		change       func(*Run)
		want         scoring.ConditionResult
	}{
		{"as many attributes as may be read", `run.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes) }, scoring.ConditionMet},
		{"a wide span", `run.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes+1) }, scoring.ConditionTooLong},
		{"a wide resource", `run.resource.attributes["none"] == nil`, func(r *Run) { widen(r.Anchor.Resource.Resource().Attributes(), MaxAttributes+1) }, scoring.ConditionTooLong},
		{"a wide span that is not read", `index == 1`, func(r *Run) { widen(r.Anchor.Span.Attributes(), MaxAttributes+1) }, scoring.ConditionMet},
		{"a large text", `IsMatch(arguments["a"], "a")`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionTooLong},
		{"a large map", `Len(arguments) > 0`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionTooLong},
		{"a large text without a function", `arguments["a"] != nil`, func(r *Run) { r.Calls[1].Arguments = scoring.JSON(`{"a":"` + strings.Repeat("a", MaxBytes+1) + `"}`) }, scoring.ConditionMet},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			c, err := parser(t).Where(tc.where)
			require.NoError(t, err)
			r := refund()
			r.Context = t.Context()
			tc.change(r)
			require.Equal(t, tc.want, r.Evaluate(c, 1))
		})
	}
}

// widen adds attributes until there are n.
func widen(m pcommon.Map, n int) {
	m.EnsureCapacity(n)
	for i := m.Len(); i < n; i++ {
		m.PutInt(strconv.Itoa(i), 1)
	}
}

// An unknown path is named with its place, in lines and characters.
func TestUnknownPaths(t *testing.T) {
	p := parser(t)
	for _, tc := range []struct{ where, path, at string }{
		{`argument["x"] == 1`, "argument", "1:1"},
		{`name == "argument" and argument["x"] == 1`, "argument", "1:24"},
		{`name == "é\"argument" and argument["x"] == 1`, "argument", "1:27"},
		{"name == \"x\"\n  and args == 1", "args", "2:7"},
		{`arguments["a"].b == 1`, "arguments", "1:1"},
		{`arguments.b == 1`, "arguments.b", "1:1"},
		{`output.b["c"] == 1`, "output.b", "1:1"},
		{`IsMatch(attributes["x"], "y")`, "attributes", "1:9"},
		{`run.span["x"] == 1`, "run.span", "1:1"},
		{`run.resource["x"] == 1`, "run.resource", "1:1"},
		{`status.code == 1`, "status.code", "1:1"},
		{`index[0] == 1`, "index", "1:1"},
		{`arguments[foo] == 1`, "foo", "1:11"},
	} {
		_, err := p.Where(tc.where)
		require.ErrorContains(t, err, fmt.Sprintf(`is no condition on a call: %s: the path %q `, tc.at, tc.path), tc.where)
	}
	_, err := p.Where(`index == 0`)
	require.NoError(t, err)
	_, err = p.Where(`index = 0`)
	require.ErrorContains(t, err, "1:7", "OTTL says where its grammar is broken")
}

// FuzzWhere evaluates conditions on payloads of any text. Nothing panics, the same question has the same answer, and what was
// decoded for one call is not read for another.
func FuzzWhere(f *testing.F) {
	for _, where := range []string{
		`arguments["a"]["b"] == 1`, `arguments["a"][0] == output`, `Len(arguments) > 1`, `IsMatch(output, "x")`, `output["a"] == arguments["a"]`,
		`Int(arguments["a"]) > 3`, `ParseJSON(output)["a"] == 1`, `index == 1 and duration == nil`, `arguments[name] != nil`,
	} {
		f.Add(where, `{"a":{"b":1}}`, `[1,"x"]`, "a")
		f.Add(where, "no JSON \xff", `{"type":"text"}`, "")
	}
	p := parser(f)
	f.Fuzz(func(t *testing.T, where, arguments, output, name string) {
		c, err := p.Where(where)
		if err != nil || strings.Contains(where, "Now") || strings.Contains(where, "UUID") {
			return
		}
		calls := []scoring.Call{
			{Name: name, Arguments: scoring.JSON(arguments), Output: scoring.JSON(output)},
			{Name: name, Arguments: scoring.Text(output), Output: scoring.Text(arguments)},
		}
		r := refund()
		r.Context, r.Calls = t.Context(), calls
		var first [2]scoring.ConditionResult
		for round := range 3 {
			for i := range calls {
				got := r.Evaluate(c, i)
				if round == 0 {
					first[i] = got
				}
				require.Equal(t, first[i], got, "%q on call %d, round %d", where, i, round)
				alone := refund()
				alone.Context, alone.Calls = t.Context(), calls
				require.Equal(t, got, alone.Evaluate(c, i), "%q on call %d alone", where, i)
			}
		}
	})
}
