package attributes

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestValuesBecomeJSON(t *testing.T) {
	for _, tc := range []struct {
		name   string
		set    func(pcommon.Value)
		want   string
		reason string // why this is right, for the next reader: required
	}{
		{"int", func(v pcommon.Value) { v.SetInt(math.MinInt64) }, "-9223372036854775808", "all 64 bits, never a float"},
		{"bool", func(v pcommon.Value) { v.SetBool(true) }, "true", "a boolean is no number"},
		{"whole double", func(v pcommon.Value) { v.SetDouble(1) }, "1.0", "some methods tell 1 from 1.0"},
		{"large whole double", func(v pcommon.Value) { v.SetDouble(1e15) }, "1000000000000000.0", "as long as the digits are exact"},
		{"huge double", func(v pcommon.Value) { v.SetDouble(1e300) }, "1e+300", "300 zeros say nothing more"},
		{"small double", func(v pcommon.Value) { v.SetDouble(0.125) }, "0.125", "the fewest digits that are the same double"},
		{"tiny double", func(v pcommon.Value) { v.SetDouble(5e-324) }, "5e-324", "the smallest there is"},
		{"negative zero", func(v pcommon.Value) { v.SetDouble(math.Copysign(0, -1)) }, "-0.0", "the sign is kept"},
		{"no number", func(v pcommon.Value) { v.SetDouble(math.NaN()) }, `"NaN"`, "JSON has no number for it"},
		{"infinity", func(v pcommon.Value) { v.SetDouble(math.Inf(-1)) }, `"-Infinity"`, "nor for this"},
		{"bytes", func(v pcommon.Value) { v.SetEmptyBytes().FromRaw([]byte("hi?")) }, `"aGk/"`, "base64, as OTLP/JSON writes them"},
		{"no bytes", func(v pcommon.Value) { v.SetEmptyBytes() }, `""`, "empty but there"},
		{"empty map", func(v pcommon.Value) { v.SetEmptyMap() }, "{}", "captured, and empty"},
		{"empty slice", func(v pcommon.Value) { v.SetEmptySlice() }, "[]", "captured, and empty"},
		{"keys in their order", func(v pcommon.Value) {
			m := v.SetEmptyMap()
			m.PutStr("b", "1")
			m.PutEmpty("a")
			m.PutEmptySlice("c").AppendEmpty().SetInt(1)
		}, `{"b":"1","a":null,"c":[1]}`, "the order is the writer's; a value without a type is null"},
		{"text", func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr("\"\\\n\x00é東\U0001F686") },
			`["\"\\\u000a\u0000é東` + "\U0001F686" + `"]`, "only what must be escaped is"},
		{"no UTF-8", func(v pcommon.Value) { v.SetEmptySlice().AppendEmpty().SetStr("a\xff") }, "[\"a\uFFFD\"]", "JSON is UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := pcommon.NewValueEmpty()
			tc.set(v)
			if got, ok := AppendJSON(nil, v); string(got) != tc.want || !ok {
				t.Errorf("got %s, %v, want %s: %s", got, ok, tc.want, tc.reason)
			}
			if !json.Valid([]byte(tc.want)) {
				t.Errorf("%s is no JSON", tc.want)
			}
		})
	}
}

func TestDeepValuesHaveNoText(t *testing.T) {
	for _, tc := range []struct {
		name   string
		depth  int
		want   bool
		reason string
	}{
		{"as deep as allowed", MaxDepth, true, "the limit counts levels"},
		{"one deeper", MaxDepth + 1, false, "never cut"},
		{"hostile", 100_000, false, "no stack is spent on it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := pcommon.NewValueEmpty()
			for inner, i := v, 0; i < tc.depth; i++ {
				slice := inner.SetEmptySlice()
				if i+1 < tc.depth {
					inner = slice.AppendEmpty()
				}
			}
			text, ok := AppendJSON(nil, v)
			if ok != tc.want || ok && string(text) != strings.Repeat("[", tc.depth)+strings.Repeat("]", tc.depth) {
				t.Errorf("got %q, %v, want %v: %s", text, ok, tc.want, tc.reason)
			}
		})
	}
}

func TestTextsOfBoundedLength(t *testing.T) {
	const limit = 150
	list := func(n int, text string) pcommon.Value {
		v := pcommon.NewValueSlice()
		v.Slice().EnsureCapacity(n)
		for range n {
			v.Slice().AppendEmpty().SetStr(text)
		}
		return v
	}
	deep := pcommon.NewValueSlice()
	for at, i := deep.Slice(), 0; i <= MaxDepth; i++ {
		at = at.AppendEmpty().SetEmptySlice()
	}
	table := pcommon.NewValueMap()
	table.Map().PutStr(strings.Repeat("k", limit), "")
	raw := pcommon.NewValueBytes()
	raw.Bytes().FromRaw(make([]byte, limit-10))
	for _, tc := range []struct {
		name   string
		value  pcommon.Value
		text   string
		err    error
		reason string
	}{
		{"a text", pcommon.NewValueStr(strings.Repeat("x", limit)), strings.Repeat("x", limit), nil, "as long as allowed"},
		{"a longer text", pcommon.NewValueStr(strings.Repeat("x", limit+1)), "", ErrTooLong, "its length is known before it is read"},
		{"a list", list(2, "a"), `["a","a"]`, nil, "written as JSON"},
		{"a long list", list(1_000_000, ""), "", ErrTooLong, "each element counts"},
		{"a list of texts that grow", list(1, strings.Repeat("\n", 50)), "", ErrTooLong, "an escape is longer than the character that it represents"},
		{"a long key", table, "", ErrTooLong, "keys count as well"},
		{"bytes", raw, "", ErrTooLong, "they are longer as text"},
		{"a deep list", deep, "", ErrTooDeep, "no stack is spent on it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := TextWithin(tc.value, limit)
			if got != tc.text || !errors.Is(err, tc.err) {
				t.Errorf("TextWithin = %q, %v, want %q, %v: %s", got, err, tc.text, tc.err, tc.reason)
			}
		})
	}
	for _, v := range []pcommon.Value{pcommon.NewValueStr(strings.Repeat("x", 30<<20)), list(1_000_000, "x")} {
		if n := testing.AllocsPerRun(10, func() { _, _ = TextWithin(v, limit) }); n != 0 {
			t.Errorf("%v allocations for a value of type %v that is too long: nothing of it is to be written", n, v.Type())
		}
	}
}
