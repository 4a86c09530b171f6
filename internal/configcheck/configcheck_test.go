package configcheck

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A garden is a configuration of another kind: nothing here knows the processor's own.
type garden struct {
	Beds  []bed          `mapstructure:"beds"`
	Water time.Duration  `mapstructure:"water"`
	Tools map[string]hoe `mapstructure:"tools"`
}

type bed struct {
	Plant string `mapstructure:"plant"`
	Rows  int    `mapstructure:"rows"`
}

type hoe struct {
	Steel *steel `mapstructure:"steel"`
}

type steel struct {
	Grade float64 `mapstructure:"grade"`
}

var short = Shorthands{
	Named: reflect.TypeFor[bed](), Name: "plant", Want: "the name of a plant, or a map", Optional: reflect.TypeFor[hoe](),
}

func TestShape(t *testing.T) {
	for _, tc := range []struct {
		claim  string
		raw    map[string]any
		want   map[string]any
		err    string
		reason string
	}{
		{"a name is short for a struct", map[string]any{"beds": []any{"kale"}},
			map[string]any{"beds": []any{map[string]any{"plant": "kale"}}}, "", "users write what is short"},
		{"a key without a value is an empty map", map[string]any{"tools": map[string]any{"h": map[string]any{"steel": nil}}},
			map[string]any{"tools": map[string]any{"h": map[string]any{"steel": map[string]any{}}}}, "", "all its options have defaults"},
		{"an unknown key", map[string]any{"watr": "5s"}, map[string]any{},
			`watr: is no key of this configuration (did you mean "water"?)`, "it would be ignored in silence"},
		{"a number without unit", map[string]any{"water": 5}, map[string]any{},
			"water: must be a time with its unit, such as 5s or 2m, is the number 5", "no user means nanoseconds"},
		{"a value of a wrong kind", map[string]any{"beds": []any{map[string]any{"plant": 7}}},
			map[string]any{"beds": []any{map[string]any{"plant": standIn}}},
			"beds[0].plant: must be a string (put it in quotes), is the number 7", "the path has names and indices"},
		{"a list of another kind", map[string]any{"beds": 3}, map[string]any{"beds": []any{map[string]any{"plant": standIn}}},
			"beds: must be a list, is the number 3", "the stand-in is not empty, so it breaks no rule about empty lists"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			e := New()
			assert.Equal(t, tc.want, e.Shape(tc.raw, reflect.TypeFor[garden](), short), tc.reason)
			if tc.err == "" {
				require.NoError(t, e.Err())
			} else {
				require.EqualError(t, e.Err(), tc.err, tc.reason)
			}
		})
	}
}

// One mistake is reported once, whatever rules its stand-in would break.
func TestUnreadValuesBreakNoRule(t *testing.T) {
	e := New()
	e.Shape(map[string]any{"beds": []any{map[string]any{"rows": "many"}}}, reflect.TypeFor[garden](), short)
	below := e.Under("beds").Under("[0]")
	below.UpTo("rows", 0, 9)
	below.OneOf("plant", "cale", "kale", "beet")
	require.EqualError(t, e.Err(), `beds[0].rows: must be a whole number, is "many"`+"\n"+
		`beds[0].plant: must be kale or beet, is "cale" (did you mean "kale"?)`)
}

func TestErrorsOfOthersAreRelative(t *testing.T) {
	inner := New()
	inner.Add("rows", "must be odd")
	e := New()
	e.Under("beds[1]").Join(errors.Join(inner.Err(), errors.New("it rains")))
	require.EqualError(t, e.Err(), "beds[1].rows: must be odd\nbeds[1]: it rains")
}

func TestPayloads(t *testing.T) {
	e := New()
	p := e.Payload("x", map[string]any{"b": 1.0, "a": []any{1, "1", nil, true}})
	require.NoError(t, e.Err())
	require.Equal(t, scoring.JSON(`{"a":[1,"1",null,true],"b":1.0}`), p, "keys are sorted, and 1.0 is not 1")
	e.Payload("x", map[string]any{"at": []any{time.Unix(0, 0), math.NaN()}})
	require.EqualError(t, e.Err(), "x.at[0]: is a timestamp to YAML, which forgets how it was written: put it in quotes\n"+
		"x.at[1]: is NaN, which JSON cannot say")
	e = New()
	deep := any("x")
	for range 2000 {
		deep = []any{deep}
	}
	e.Payload("x", deep)
	require.Error(t, e.Err())
	require.True(t, strings.HasPrefix(e.Err().Error(), "x: no JSON at byte 1000: nested too deep"), e.Err())
}
