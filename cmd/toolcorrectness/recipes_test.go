package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recordedRuns are the runs in testdata/traces, in the order of the verdicts below.
var recordedRuns = [...]struct{ file, agent string }{
	{"claude-agent-sdk-two-sequential", ""},
	{"google-adk-two-runs", "travel_desk"},
	{"google-adk-two-runs", "order_desk"},
	{"langgraph-typed-args", "travel_desk"},
	{"mastra-two-sequential", "travel_desk"},
	{"openai-agents-sub-agent", "travel_desk"},
	{"openai-agents-sub-agent", "researcher"},
	{"strands-error-then-retry", "travel_desk"},
	{"vercel-ai-6-parallel-tools", "travel_desk"},
	{"vercel-ai-7-repeated-tool", "travel_desk"},
}

// Each recipe is a whole configuration, and says of each recorded run whether it passes (+), fails (-), cannot be evaluated (?)
// or is none of its business (.). The reason is that of one run.
func TestRecipes(t *testing.T) {
	page := readFile(t, "../../docs/configuration.md")
	files, err := filepath.Glob("../../examples/recipes/*.yaml")
	require.NoError(t, err)
	found := map[string]bool{}
	for _, tc := range []struct {
		name, verdicts string
		run            int
		reason         string
	}{
		{"alternative-tools", "++--+++-++", 0, `Passed: the expected call was made; not expected: convert_currency.`},
		{"any-name", "?++-+-++++", 3, `Failed: a forbidden call was made: create_booking, so the score is 0. 0 of 1 expected calls matched; missing get_*|lookup_*.`},
		{"argument-defaults", "?+----+--+", 4, `Failed: wrong arguments: get_weather (city). 0 of 1 expected calls matched; not expected: convert_currency.`},
		{"attribute-of-the-resource", "---+------", 3, `Passed: the expected call was made.`},
		{"calls-in-parallel", "?-------+-", 8, `Passed: all 3 expected calls were made in order; calls that ran at the same time were taken in the order that fits best.`},
		{"check-an-output", "?---++--+-", 4, `Passed: the expected call was made; not expected: get_weather.`},
		{"fast-calls", "--+----+--", 2, `Passed: the expected call was made.`},
		{"first-call", "++--+-+-++", 0, `Passed: the expected call was made; not expected: convert_currency.`},
		{"forbid-above-a-limit", "?+++-+++++", 4, `Failed: a forbidden call was made: convert_currency, so the score is 0. No calls were expected; not expected: get_weather.`},
		{"ignore-request-ids", "---+------", 3, `Passed: the expected call was made; not compared: passenger.age, passenger.notes, legs[*].price, legs[*].stops, ratio, tags, big, neg of create_booking.`},
		{"limits-by-tool", "+++++++++-", 9, `Failed: 3 calls of get_weather, at most 2 are allowed, so the score is 0. No calls were expected; not expected: get_weather (3 times).`},
		{"nested-arguments", "---+------", 3, `Passed: the expected call was made.`},
		{"no-failed-calls", "+++++++-++", 7, `Failed: a forbidden call was made: lookup_order, so the score is 0. No calls were expected; not expected: lookup_order.`},
		{"no-tools", "--+-------", 2, `Passed: the expected call was made.`},
		{"optional-tools", "?+--+-+-+-", 1, `Passed: the expected call was made.`},
		{"pattern-on-an-argument", "?---++--+-", 4, `Passed: the expected call was made; not expected: get_weather.`},
		{"repeats-count-once", "?+----+--+", 1, `Passed: 1 of 2 expected calls matched; missing get_weather.`},
		{"several-ways", "?++---++-+", 4, `Failed: condition not met: get_weather (needs IsMatch(arguments["city"], "^(Oslo|Bergen)$")). 0 of 1 expected calls matched; not expected: convert_currency.`},
		{"time-window", "---+------", 3, `Passed: the expected call was made.`},
		{"value-from-the-run", "....+.....", 4, `Passed: the expected call was made; not expected: convert_currency.`},
		{"value-in-a-range", "?---++--+-", 4, `Passed: the expected call was made; not expected: get_weather.`},
	} {
		found[tc.name] = true
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join("..", "..", "examples", "recipes", tc.name+".yaml")
			assert.Contains(t, page, "`"+tc.name+"`", "the page names each recipe")
			r := command("", append([]string{"-config", file, "-pass-rate", "0", "-allow-empty", "-format", "json"}, recordings(t)...)...)
			require.NotEqual(t, exitUsage, r.code, r.stderr)
			rows := rowsIn(t, r.stdout)
			require.Len(t, rows, len(recordedRuns))
			var got strings.Builder
			for i, run := range recordedRuns {
				assert.Equal(t, run.file+".jsonl "+run.agent, filepath.Base(rows[i]["file"].(string))+" "+rows[i]["agent"].(string))
				got.WriteString(signOf(rows[i]))
				if i == tc.run {
					assert.Equal(t, tc.reason, rows[i]["reason"])
				}
			}
			assert.Equal(t, tc.verdicts, got.String())
		})
	}
	assert.Len(t, files, len(found), "each recipe has its verdicts")
	assert.GreaterOrEqual(t, len(found), 20)
}

func signOf(row map[string]any) string {
	switch {
	case row["status"] == "no_expectation":
		return "."
	case row["status"] != "scored":
		return "?"
	case row["passed"] == true:
		return "+"
	}
	return "-"
}
