package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestCorpusUnderOtherSettings(t *testing.T) {
	for _, tc := range fromTestdata[[]struct {
		Claim, Reason, Library, Scenario string

		Config map[string]any
		Want   []string
		// Why the only run is not evaluable, "" if it is.
		Why string
		// The spans with verdicts are those without the settings.
		SpansAsWithout bool `yaml:"spans_as_without"`
	}]("settings") {
		t.Run(tc.Claim, func(t *testing.T) {
			library := corpus.Open(t, tc.Library)
			i := slices.IndexFunc(library.Scenarios, func(s corpus.Scenario) bool { return s.Name == tc.Scenario })
			require.GreaterOrEqual(t, i, 0)
			requests := library.Scenarios[i].Requests
			for seed := range uint64(3) {
				reports := reportsWith(t, judgeShuffled(requests, seed), configured(t, tc.Config))
				assert.Equal(t, tc.Want, named(reports), tc.Reason)
				if tc.Why != "" {
					require.Len(t, reports, 1)
					verdict := reports[0].Results[0].Verdict
					assert.Equal(t, scoring.NotEvaluable, verdict.Status)
					assert.Equal(t, tc.Why, verdict.Why)
				}
			}
			if tc.SpansAsWithout {
				assert.Equal(t, anchorsOf(reportsOf(t, requests)), anchorsOf(reportsWith(t, requests, configured(t, tc.Config))))
			}
		})
	}
}

// anchorsOf are the spans with the verdicts.
func anchorsOf(reports []evaluate.Report) (spans []string) {
	for _, r := range reports {
		spans = append(spans, r.Run.Anchors[0].ID.String())
	}
	slices.Sort(spans)
	return spans
}

// named returns a line "agent: calls" for every run.
func named(reports []evaluate.Report) []string {
	var lines []string
	for _, r := range reports {
		line := ": "
		if len(r.Run.Anchors) > 0 {
			line = r.Run.Anchors[0].Agent + line
		}
		var calls []string
		for _, c := range r.Run.Calls {
			calls = append(calls, c.Name)
		}
		lines = append(lines, line+strings.Join(calls, " "))
	}
	slices.Sort(lines)
	return lines
}
