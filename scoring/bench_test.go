package scoring

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	"github.com/valyala/fastjson"
)

// arguments200 is 200 bytes of typical arguments.
const arguments200 = `{"order_id":"A-10293","amount":129.95,"currency":"EUR","reason":"damaged in transit","notify":true,` +
	`"lines":[{"sku":"KX-200","quantity":2},{"sku":"KX-77","quantity":1}],"note":"call customer first"}`

// BenchmarkArguments: what does it cost to decode 200 bytes of arguments and compare them with expected ones?
func BenchmarkArguments(b *testing.B) {
	expected, err := Decode(arguments200)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("form=compare", func(b *testing.B) {
		r := reader{unread: true}
		b.ReportAllocs()
		for b.Loop() {
			r.unread = true
			called, _ := r.read(argumentsPart, "", JSON(arguments200))
			if !Equal(expected, called) {
				b.Fatal("not equal")
			}
		}
	})
	b.Run("form=decode", func(b *testing.B) {
		var d Decoder
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.Decode(arguments200); err != nil {
				b.Fatal("no JSON")
			}
		}
	})
	b.Run("form=fastjson", func(b *testing.B) {
		var p fastjson.Parser
		b.ReportAllocs()
		for b.Loop() {
			if _, err := p.Parse(arguments200); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("form=naive", func(b *testing.B) {
		var want any
		if err := json.Unmarshal([]byte(arguments200), &want); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			var got any
			if json.Unmarshal([]byte(arguments200), &got) != nil || !reflect.DeepEqual(got, want) {
				b.Fatal("not equal")
			}
		}
	})
}

// workload returns n expected names and n calls. About nine in ten calls are expected, out of order by one.
func workload(tb testing.TB, n int) (*Expectation, []Call) {
	tb.Helper()
	tools, calls := make([]Tool, n), make([]Call, n)
	for i := range n {
		tools[i].Name = "tool_" + strconv.Itoa(i%(n/2+1))
		calls[min(i^1, n-1)].Name = "tool_" + strconv.Itoa(i%(n/2+1))
		if i%10 == 9 {
			calls[min(i^1, n-1)].Name = "other_" + strconv.Itoa(i)
		}
	}
	return expectation(tb, ExpectationSettings{Tools: tools}), calls
}

func expectation(tb testing.TB, s ExpectationSettings) *Expectation {
	tb.Helper()
	e, err := NewExpectation(s)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func decode(tb testing.TB, text string) Value {
	tb.Helper()
	v, err := Decode(text)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func native(tb testing.TB, change func(*NativeOptions)) *Native {
	tb.Helper()
	o := DefaultNative()
	if change != nil {
		change(&o)
	}
	n, err := NewNative(o)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}
