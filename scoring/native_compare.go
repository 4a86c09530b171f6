package scoring

import (
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
		return objects.Agreement(expected, called, full)
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
