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

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
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
	for _, tc := range testrows.Read[struct {
		Recipe, Verdicts string
		Run              int
		Reason           string
	}](t, "testdata/recipes.yaml") {
		found[tc.Recipe] = true
		t.Run(tc.Recipe, func(t *testing.T) {
			file := filepath.Join("..", "..", "examples", "recipes", tc.Recipe+".yaml")
			assert.Contains(t, page, "`"+tc.Recipe+"`", "the page names each recipe")
			r := command("", append([]string{"-config", file, "-pass-rate", "0", "-allow-empty", "-format", "json"}, recordings(t)...)...)
			require.NotEqual(t, exitUsage, r.code, r.stderr)
			rows := rowsIn(t, r.stdout)
			require.Len(t, rows, len(recordedRuns))
			var got strings.Builder
			for i, run := range recordedRuns {
				assert.Equal(t, run.file+".jsonl "+run.agent, filepath.Base(rows[i]["file"].(string))+" "+rows[i]["agent"].(string))
				got.WriteString(signOf(rows[i]))
				if i == tc.Run {
					assert.Equal(t, tc.Reason, rows[i]["reason"])
				}
			}
			assert.Equal(t, tc.Verdicts, got.String())
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
