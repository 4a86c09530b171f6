package likeness

import (
	"math"
	"math/big"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/equality"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// axionAlikeness computes the likeness of two values under Axion's fuzzy strategy. It is at most 1, and as low as -1 for
// numbers of opposite signs. work pays for comparing texts; once it is spent, all results are invalid.
type axionAlikeness struct{ work *difflib.Budget }

// Axion returns the likeness of two objects under Axion's fuzzy strategy: the mean over the keys of want, which must have
// some. Keys that only got has are ignored. The caller must discard the result if texts is spent.
func Axion(want, got jsonvalue.Value, texts *difflib.Budget) float64 {
	return axionAlikeness{texts}.keys(want, got)
}

func (x axionAlikeness) keys(want, got jsonvalue.Value) float64 {
	sum, in := 0.0, jsonvalue.NewLookup(got)
	for m, ok := want.FirstMember(); ok; m, ok = m.Next() {
		if v, found := in.Find(m); found {
			sum += x.values(m.Value(), v)
		}
	}
	return sum / float64(want.Len())
}

// values compares two values. Values of different types, such as an int and a float, have nothing in common. Nor has null
// with anything, even null.
func (x axionAlikeness) values(want, got jsonvalue.Value) float64 {
	if want.Kind() != got.Kind() {
		return 0
	}
	switch want.Kind() {
	case jsonvalue.String:
		return x.work.Ratio(got.Text(), want.Text())
	case jsonvalue.Bool, jsonvalue.Number:
		w, _ := equality.PythonNumberOf(want)
		g, _ := equality.PythonNumberOf(got)
		return axionNumbers(w, g)
	case jsonvalue.Object:
		return x.objects(want, got)
	case jsonvalue.Array:
		if equality.Python(want, got) {
			return 1
		}
	}
	return 0
}

// objects returns the mean of two numbers: the share of common keys, and the mean likeness of their values.
func (x axionAlikeness) objects(want, got jsonvalue.Value) float64 {
	if want.Len() == 0 && got.Len() == 0 {
		return 1
	}
	common, sum, in := 0, 0.0, jsonvalue.NewLookup(got)
	for m, ok := want.FirstMember(); ok; m, ok = m.Next() {
		if v, found := in.Find(m); found {
			common++
			sum += x.values(m.Value(), v)
		}
	}
	keys := float64(common) / float64(want.Len()+got.Len()-common)
	if common == 0 {
		return keys / 2
	}
	return (keys + sum/float64(common)) / 2
}

// axionNumbers returns 1-|g-w|/max(|g|,|w|), which may be negative. Zero is alike only to zero.
func axionNumbers(w, g equality.PythonNumber) float64 {
	switch {
	case w.Kind != g.Kind:
		return 0
	case w.Kind == equality.PythonFloat:
		return axionFloats(w.Float, g.Float)
	case w.Whole == g.Whole:
		return 1
	case w.Whole == "0" || g.Whole == "0":
		return 0
	}
	return axionInts(w.Whole, g.Whole)
}

func axionFloats(w, g float64) float64 {
	switch {
	case w == 0 && g == 0:
		return 1
	case w == 0 || g == 0:
		return 0
	}
	return 1 - math.Abs(g-w)/math.Max(math.Abs(g), math.Abs(w))
}

// axionInts divides exactly and rounds once, as Python does with ints of any size.
func axionInts(w, g string) float64 {
	var x, y, apart big.Int
	x.SetString(w, 10) // both are JSON integers
	y.SetString(g, 10)
	apart.Abs(apart.Sub(&y, &x))
	larger := x.Abs(&x)
	if y.CmpAbs(&x) > 0 {
		larger = y.Abs(&y)
	}
	quotient, _ := new(big.Rat).SetFrac(&apart, larger).Float64()
	return 1 - quotient
}

// AxionSubset reports whether every key of want is in got with an equal value, or with an object whose subset it is. Arrays
// must be equal.
func AxionSubset(want, got jsonvalue.Value) bool {
	if want.Kind() != jsonvalue.Object || got.Kind() != jsonvalue.Object {
		return equality.Python(want, got)
	}
	in := jsonvalue.NewLookup(got)
	for m, ok := want.FirstMember(); ok; m, ok = m.Next() {
		v, found := in.Find(m)
		if !found || !AxionSubset(m.Value(), v) {
			return false
		}
	}
	return true
}
