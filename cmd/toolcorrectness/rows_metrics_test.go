package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A row is one metric of a run. A metric without an expectation has no row; a run without any expectation has one line, which
// says so. The recorded run called get_weather and convert_currency.
func TestRowsOfMetricsThatMeetDifferentExpectations(t *testing.T) {
	const metrics = "metrics: {a: {native: }, b: {deepeval: }, c: {galtea: }}\n"
	for _, tc := range []struct {
		claim, expectations, reason string
		want                        []string
	}{
		{"each has its own", `[{name: x, tools: [{name: get_weather, optional: true}], metrics: [a]}, {name: y, tools: [get_weather, mail], metrics: [b]}, {name: z, tools: [mail]}]`,
			"expected and missing are those of the line's expectation",
			[]string{"a x scored [] []", "b y scored [get_weather mail] [mail]", "c z scored [mail] [mail]"}},
		{"one has none", `[{name: x, tools: [mail], metrics: [a]}, {name: y, tools: [get_weather], metrics: [b]}]`,
			"there is nothing to say of c", []string{"a x scored [mail] [mail]", "b y scored [get_weather] []"}},
		{"none has one", `[{name: x, tools: [mail], metrics: [a], when: 'name == "nobody"'}]`,
			"the calls are worth a line", []string{"  no_expectation [] []"}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := command("", "-config", section(t, metrics+"expectations: "+tc.expectations), "-format", "json", mastra)
			var lines []string
			for _, row := range rowsIn(t, got.stdout) {
				lines = append(lines, fmt.Sprint(row["metric"], " ", row["expectation"], " ", row["status"], " ", row["expected"], " ", row["missing"]))
				require.Len(t, row["calls"], 2)
			}
			assert.Equal(t, tc.want, lines, tc.reason)
		})
	}
}
