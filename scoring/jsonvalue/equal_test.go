package jsonvalue

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

func decode(tb testing.TB, text string) Value {
	tb.Helper()
	v, err := Decode(text)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestEqual(t *testing.T) {
	const nines = "99999999999999999999999"
	for _, tc := range []struct {
		a, b   string
		want   bool
		reason string
	}{
		{`1`, `1.0`, true, "one value, two ways to write it"},
		{`1`, `10e-1`, true, "the exponent moves the point"},
		{`100`, `1E2`, true, "and back"},
		{`0.00120`, `12e-4`, true, "zeros on both ends do not count"},
		{`-0`, `0.0e7`, true, "zero has no sign and no size"},
		{`9007199254740993`, `9007199254740992.0`, false, "as float64 they are equal"},
		{`0.1`, `0.1000000000000000055511151231257827`, false, "nor these"},
		{`1`, `-1`, false, "the sign counts"},
		{`12`, `1.2`, false, "the point counts"},
		{`1e999999999`, `10e999999998`, true, "nothing is expanded"},
		{`1e999999999`, `1e999999998`, false, "nor rounded to infinity"},
		{`1e` + nines, `1.0e0` + nines, true, "an exponent beyond int64 is compared, too"},
		{`1e` + nines, `1e-` + nines, false, "its sign counts"},
		{`1e` + nines, `1e9` + nines, false, "its length counts"},
		{`1e18446744073709551616`, `1`, false, "two to the power of 64 is not 0"},
		{`1e0005`, `1e5`, true, "zeros in front of an exponent do not count"},
		{`1`, `true`, false, "a boolean is no number"},
		{`"1"`, `1`, false, "a text is no number"},
		{`""`, `null`, false, "empty is not nothing"},
		{`"\u00e9"`, `"é"`, true, "an escape represents its code point"},
		{`"\u00e9"`, `"e\u0301"`, false, "no Unicode normalisation"},
		{`"\ud83d"`, `"�"`, true, "half a pair is read as U+FFFD"},
		{`"a\/b"`, `"a/b"`, true, "a slash needs no escape"},
		{`"ab"`, `"a\u0062c"`, false, "one is longer"},
		{`[1,2]`, `[2,1]`, false, "arrays are ordered"},
		{`[1,[2]]`, `[1.0,[2.0]]`, true, "by value at any depth"},
		{`[1]`, `[1,2]`, false, "one is longer"},
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2.0},"a":1}`, true, "objects are not ordered"},
		{`{"a":1}`, `{"a":1,"b":null}`, false, "a key with null is a key"},
		{`{"a":1,"a":2}`, `{"a":2}`, true, "the last one wins"},
		{`{"a":1,"a":2}`, `{"a":1}`, false, "and only the last one"},
		{`{"a":1,"a":1}`, `{"a":1,"b":1}`, false, "written twice is not two keys"},
		{`{}`, `[]`, false, "kinds differ"},
	} {
		t.Run(tc.a+" and "+tc.b, func(t *testing.T) {
			a, b := decode(t, tc.a), decode(t, tc.b)
			if got := Equal(a, b); got != tc.want {
				t.Errorf("Equal is %v, want %v: %s", got, tc.want, tc.reason)
			}
			if got := Equal(b, a); got != tc.want {
				t.Errorf("the other way round Equal is %v, want %v: %s", got, tc.want, tc.reason)
			}
			if got := a.Digest() == b.Digest(); got != tc.want {
				t.Errorf("the digests are the same: %v, want %v: %s", got, tc.want, tc.reason)
			}
		})
	}
}

func TestEqualOfZeroValues(t *testing.T) {
	if !Equal(Value{}, decode(t, "null")) || Equal(Value{}, StringValue("")) || !Equal(Value{}, Value{}) {
		t.Error("the zero Value is null")
	}
	if !Equal(StringValue(`a"\`), decode(t, `"a\"\\"`)) {
		t.Error("StringValue takes its text as it is")
	}
	if (Value{}).Digest() != decode(t, "null").Digest() || (Value{}).Digest() == StringValue("").Digest() {
		t.Error("the digest of the zero Value is that of null")
	}
}

// hostile is an object of n members whose keys are escaped, in an order that no look-up expects, each written twice.
func hostile(n int, reverse bool) string {
	var b strings.Builder
	for twice := range 2 {
		for i := range n {
			if reverse {
				i = n - 1 - i
			}
			fmt.Fprintf(&b, `"\u0061%d":%d,`, i, i*twice)
		}
	}
	return "{" + strings.TrimSuffix(b.String(), ",") + "}"
}

func TestEqualOfManyMembers(t *testing.T) {
	for _, n := range []int{1, indexFrom - 1, indexFrom, 5000} {
		a, b := decode(t, hostile(n, false)), decode(t, hostile(n, true))
		if !Equal(a, b) || !Equal(b, a) {
			t.Errorf("%d members in another order are not equal", n)
		}
		c := decode(t, strings.Replace(hostile(n, true), `"\u00610":0}`, `"\u00610":7}`, 1))
		if Equal(a, c) || Equal(c, a) {
			t.Errorf("of %d members one is different, and all are equal", n)
		}
	}
}

func TestSameSequence(t *testing.T) {
	for _, tc := range []struct {
		a, b   string
		want   bool
		reason string
	}{
		{`{"a":1,"b":2}`, `{"a":1,"b":2}`, true, "one order"},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false, "another order"},
		{`{"a":1,"b":2}`, `{"a":1,"c":2}`, false, "another key"},
		{`{"a":1,"b":[1,{"x":2}],"c":3}`, `{"a":1,"b":[1,{"x":2}],"c":4}`, false, "another value, behind a long one"},
		{`{"a":1}`, `{"a":1,"b":2}`, false, "one more"},
		{`{"b":1,"a":2}`, `{"a":1,"b":1,"a":2}`, true, "a key that is repeated stands where it was written last"},
		{`{"a":1,"b":1,"a":2}`, `{"b":1,"a":2}`, true, "and so the other way round"},
		{`{}`, `{}`, true, "nothing to compare"},
	} {
		if got := SameSequence(decode(t, tc.a), decode(t, tc.b), Equal); got != tc.want {
			t.Errorf("%s and %s are one sequence: %v, want %v: %s", tc.a, tc.b, got, tc.want, tc.reason)
		}
	}
}

// BenchmarkManyMembers: do hostile objects cost more than in proportion? See ns/member.
func BenchmarkManyMembers(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("members=%d", n), func(b *testing.B) {
			x, y := hostile(n, false), hostile(n, true)
			for b.Loop() {
				if !Equal(decode(b, x), decode(b, y)) {
					b.Fatal("not equal")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/member")
		})
	}
}

// FuzzEqualNumbers holds the comparison of lexemes against exact rationals.
func FuzzEqualNumbers(f *testing.F) {
	f.Add("1.50", "15e-1")
	f.Add("-0", "0e9")
	f.Add("100", "1E+2")
	f.Add("0.001", "1e-0003")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, okX := rational(a)
		y, okY := rational(b)
		if !okX || !okY {
			return
		}
		if got, want := equalNumbers(a, b), x.Cmp(y) == 0; got != want {
			t.Errorf("equalNumbers(%s, %s) = %v, want %v", a, b, got, want)
		}
		if got, want := decode(t, a).Digest() == decode(t, b).Digest(), x.Cmp(y) == 0; got != want {
			t.Errorf("the digests of %s and %s are the same: %v, want %v", a, b, got, want)
		}
		if written := x.FloatString(400); exact(x, written) && !equalNumbers(a, written) {
			t.Errorf("%s is not equal to itself written out: %s", a, written)
		}
	})
}

// rational is the exact value of a JSON number that is not too large to be expanded.
func rational(lexeme string) (*big.Rat, bool) {
	v, err := Decode(lexeme)
	if err != nil || v.Lexeme() != lexeme || len(lexeme) > 100 {
		return nil, false
	}
	if i := strings.IndexAny(lexeme, "eE"); i >= 0 && len(lexeme)-i > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(lexeme)
}

// exact reports whether the digits write x out in full.
func exact(x *big.Rat, digits string) bool {
	y, ok := new(big.Rat).SetString(digits)
	return ok && x.Cmp(y) == 0
}

// FuzzEqual: equality is reflexive and symmetric, does not care how keys are ordered, and agrees with itself after
// the value was written anew. Digests are the same where it holds, and only there.
func FuzzEqual(f *testing.F) {
	f.Add(`{"a":[1,2.0,{"b":null}]}`, `{"a":[1.0,2,{"b":null}]}`)
	f.Add(`"\u00e9"`, `"é"`)
	f.Add(`{"a":1,"a":2}`, `{"a":2}`)
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := Decode(x)
		b, errB := Decode(y)
		if errA != nil || errB != nil {
			return
		}
		if !Equal(a, decode(t, x)) {
			t.Error("not reflexive")
		}
		equal := Equal(a, b)
		if Equal(b, a) != equal {
			t.Error("not symmetric")
		}
		if same := a.Digest() == b.Digest(); same != equal {
			t.Errorf("equal is %v, and the digests are the same: %v", equal, same)
		}
	})
}
