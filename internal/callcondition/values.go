package callcondition

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlattributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Errors of keys. They contain no value.
var (
	errKey    = errors.New("a key is neither a string nor a whole number")
	errNoMap  = errors.New("a value that is no map has a string as its key")
	errNoList = errors.New("a value that is no list has a number as its key")
	errIndex  = errors.New("an index is out of bounds")
)

// step is the value of a key in a JSON value. A missing key of an object is null.
func step(v scoring.Value, name *string, index *int64) (scoring.Value, error) {
	if name != nil {
		if v.Kind() != scoring.Object {
			return scoring.Value{}, errNoMap
		}
		member, _ := v.Member(*name)
		return member, nil
	}
	if v.Kind() != scoring.Array {
		return scoring.Value{}, errNoList
	}
	if *index < 0 || *index >= int64(v.Len()) {
		return scoring.Value{}, errIndex
	}
	at := int64(0)
	for element := range v.Elements() {
		if at == *index {
			return element, nil
		}
		at++
	}
	return scoring.Value{}, errIndex
}

// stepAttributes is the value of a key in m if whole, else in v.
func stepAttributes(ctx context.Context, find ottlattributes.Lookup, m pcommon.Map, v pcommon.Value, whole bool, name *string, index *int64) (pcommon.Value, error) {
	if !whole && v.Type() == pcommon.ValueTypeMap {
		m, whole = v.Map(), true
	}
	switch {
	case name != nil && !whole:
		return v, errNoMap
	case name != nil:
		found, ok := find(ctx, m, *name)
		if !ok {
			return pcommon.NewValueEmpty(), nil
		}
		return found, nil
	case whole || v.Type() != pcommon.ValueTypeSlice:
		return v, errNoList
	case *index < 0 || *index >= int64(v.Slice().Len()):
		return v, errIndex
	}
	return v.Slice().At(int(*index)), nil
}

// asOTTL is a JSON value as OTTL's functions and comparisons take it. A number without a fraction that fits is an int64,
// any other a float64.
func asOTTL(v scoring.Value) any {
	switch v.Kind() {
	case scoring.Bool:
		return v.Bool()
	case scoring.String:
		return v.Text()
	case scoring.Number:
		return numberOf(v.Lexeme())
	case scoring.Array, scoring.Object:
		to := pcommon.NewValueEmpty()
		fill(to, v)
		return ottlattributes.Raw(to)
	}
	return nil
}

func numberOf(lexeme string) any {
	if !strings.ContainsAny(lexeme, ".eE") {
		if n, err := strconv.ParseInt(lexeme, 10, 64); err == nil {
			return n
		}
	}
	x, _ := strconv.ParseFloat(lexeme, 64) // beyond the range it is an infinity
	return x
}

// fill sets to to a JSON value. JSON nests at most 1,000 levels deep.
func fill(to pcommon.Value, v scoring.Value) {
	switch v.Kind() {
	case scoring.Bool:
		to.SetBool(v.Bool())
	case scoring.String:
		to.SetStr(v.Text())
	case scoring.Number:
		switch n := numberOf(v.Lexeme()).(type) {
		case int64:
			to.SetInt(n)
		case float64:
			to.SetDouble(n)
		}
	case scoring.Array:
		list := to.SetEmptySlice()
		list.EnsureCapacity(v.Len())
		for element := range v.Elements() {
			fill(list.AppendEmpty(), element)
		}
	case scoring.Object:
		m := to.SetEmptyMap()
		m.EnsureCapacity(v.Len())
		for name, member := range v.Members() {
			fill(m.PutEmpty(name), member)
		}
	}
}

// sizeOf is about how many bytes a function reads of an attribute.
func sizeOf(v pcommon.Value) int {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str())
	case pcommon.ValueTypeBytes:
		return v.Bytes().Len()
	case pcommon.ValueTypeMap:
		return sizeOfMap(v.Map())
	case pcommon.ValueTypeSlice:
		return v.Slice().Len() * shortValue
	}
	return 0
}

func sizeOfMap(m pcommon.Map) int { return m.Len() * shortValue }
