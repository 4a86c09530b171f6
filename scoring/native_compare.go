package scoring

import (
	"math/bits"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/difflib"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/objects"
)

// emptyObject is the value of arguments that are empty.
var emptyObject, _ = Decode("{}")

// orEmptyObject returns v, or an empty object if v is null. Telemetry writes both for a call without arguments.
func orEmptyObject(v Value) Value {
	if v.Kind() == Null {
		return emptyObject
	}
	return v
}

// compareArguments returns the credit of called arguments, from 0 to full. The caller must discard it if texts is spent
// afterwards.
func (o *NativeOptions) compareArguments(m ArgumentMode, expected, called Value, texts *difflib.Budget) int64 {
	switch m {
	case ArgumentsExact:
		return fullIf(Equal(expected, called))
	case ArgumentsSubset:
		return fullIf(objects.Within(expected, called))
	case ArgumentsSuperset:
		return fullIf(objects.Within(called, expected))
	case ArgumentsPartial:
		return agreement(expected, called)
	case ArgumentsFuzzy:
		return fullIf(difflib.Reaches(texts, o.FuzzyThreshold, expected, called, objects.Similarity))
	}
	return full
}

func fullIf(ok bool) int64 {
	if ok {
		return full
	}
	return 0
}

// agreement returns, as a credit, the number of keys with equal values over the number of distinct keys of both objects.
// Two empty objects agree in full. An extra key costs as much as a missing one.
func agreement(expected, called Value) int64 {
	if expected.Kind() != Object || called.Kind() != Object {
		return fullIf(Equal(expected, called))
	}
	equal, union := objects.Shared(expected, called)
	if union == 0 {
		return full
	}
	hi, lo := bits.Mul64(full, uint64(equal))
	share, _ := bits.Div64(hi, lo, uint64(union))
	return int64(share)
}
