package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The verdicts that pages show are those of the configurations beside them.
func TestDocumentedVerdicts(t *testing.T) {
	top := filepath.Join("..", "..")
	vercel := filepath.Join(top, "testdata", "traces", "vercel-ai-6-parallel-tools.jsonl")
	for _, tc := range []struct {
		name, page, section, recording string
		score                          string // as the page writes it
		change                         [2]string
		reason                         string
	}{
		{"the README's run", "README.md", "## Ten lines", filepath.Join("testdata", "support.jsonl"), "0.5", [2]string{},
			"one of two calls has the wrong currency"},
		{"the worked example", "docs/methods.md", "### A worked example", vercel, "0.571", [2]string{}, "2·2/(4+3)"},
		{"recall", "docs/methods.md", "### A worked example", vercel, "0.5", [2]string{"score: f1", "score: recall"}, "2/4"},
		{"precision", "docs/methods.md", "### A worked example", vercel, "0.667", [2]string{"score: f1", "score: precision"}, "2/3"},
		{"all or nothing", "docs/methods.md", "### A worked example", vercel, "0", [2]string{"score: f1", "score: all_or_nothing"}, "two are missing"},
		{"names", "docs/methods.md", "### A worked example", vercel, "0.857", [2]string{"arguments: subset", "arguments: ignore"}, "2·3/7"},
		{"equal arguments", "docs/methods.md", "### A worked example", vercel, "0.286", [2]string{"arguments: subset", "arguments: exact"}, "2·1/7"},
		{"shares", "docs/methods.md", "### A worked example", vercel, "0.381", [2]string{"arguments: subset", "arguments: partial"}, "2·(1+1/3)/7"},
		{"positions", "docs/methods.md", "### A worked example", vercel, "0", [2]string{"order: in_order", "order: exact"}, "three calls for four tools"},
		{"no extra calls", "docs/methods.md", "### A worked example", vercel, "0", [2]string{"score: f1", "score: f1, extra_calls: forbid"}, "call 2 is extra"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(top, tc.page))
			require.NoError(t, err)
			_, section, found := strings.Cut(string(text), tc.section)
			require.True(t, found, "%s has no %s", tc.page, tc.section)
			block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(section)
			require.NotNil(t, block)
			config := block[1]
			if tc.change[0] != "" {
				require.Contains(t, config, tc.change[0])
				config = strings.Replace(config, tc.change[0], tc.change[1], 1)
				_, option, _ := strings.Cut(tc.change[1], ", ")
				if option == "" {
					option = tc.change[1]
				}
				require.Contains(t, section, "| `"+option+"` | "+tc.score+" |")
			}
			rows := rowsIn(t, command("", "-config", file(t, "example.yaml", config), "-format", "json", tc.recording).stdout)
			require.Len(t, rows, 1)
			require.Equal(t, tc.score, strconv.FormatFloat(round(rows[0]["score"].(float64)), 'f', -1, 64), tc.reason)
			if tc.change[0] == "" {
				require.Contains(t, section, tc.score, tc.reason)
				require.Contains(t, section, rows[0]["reason"])
			}
		})
	}
}

// round is x with three decimals, as pages write scores.
func round(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

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
