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
	for _, row := range testrows.Read[struct {
		Name, Page, Section, Recording string
		Score                          string // as the page writes it
		Change                         [2]string
		Reason                         string
	}](t, "testdata/pages.yaml") {
		t.Run(row.Name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "..", row.Page))
			require.NoError(t, err)
			_, section, found := strings.Cut(string(text), row.Section)
			require.True(t, found, "%s has no %s", row.Page, row.Section)
			block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(section)
			require.NotNil(t, block)
			config := block[1]
			if row.Change[0] != "" {
				require.Contains(t, config, row.Change[0])
				config = strings.Replace(config, row.Change[0], row.Change[1], 1)
				_, option, _ := strings.Cut(row.Change[1], ", ")
				if option == "" {
					option = row.Change[1]
				}
				require.Contains(t, section, "| `"+option+"` | "+row.Score+" |")
			}
			rows := rowsIn(t, command("", "-config", file(t, "example.yaml", config), "-format", "json", row.Recording).stdout)
			require.Len(t, rows, 1)
			require.Equal(t, row.Score, strconv.FormatFloat(round(rows[0]["score"].(float64)), 'f', -1, 64), row.Reason)
			if row.Change[0] == "" {
				require.Contains(t, section, row.Score, row.Reason)
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
