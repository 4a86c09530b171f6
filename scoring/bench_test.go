package scoring

import (
	"testing"
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
		var r reader
		b.ReportAllocs()
		for b.Loop() {
			r.payload = Payload{} // it is read anew
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
}

func expectation(tb testing.TB, s ExpectationSettings) *Expectation {
	tb.Helper()
	e, err := NewExpectation(s)
	if err != nil {
		tb.Fatal(err)
	}
	return e
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
