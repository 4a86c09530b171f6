package acceptance

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// An alertRule is an alert of examples/alerting.
type alertRule struct{ Annotations, Labels map[string]string }

// alertRules returns the alerts of examples/alerting by name, and the names of recorded series.
func alertRules(t *testing.T) (alerts map[string]alertRule, recorded []string) {
	t.Helper()
	text, err := os.ReadFile(inRoot("examples", "alerting", "rules.yaml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Record string
				alertRule     `yaml:",inline"`
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	alerts = map[string]alertRule{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Record != "" {
				recorded = append(recorded, rule.Record)
				continue
			}
			require.NotContains(t, alerts, rule.Alert)
			alerts[rule.Alert] = rule.alertRule
		}
	}
	require.GreaterOrEqual(t, len(alerts), 10)
	return alerts, recorded
}

// Rules, their tests and the dashboard use metrics that the processor exports or that a rule records.
func TestAlertsUseMetricsThatExist(t *testing.T) {
	own := ownMetrics(t)
	_, recorded := alertRules(t)
	for _, name := range []string{"rules.yaml", "rules_test.yaml", "dashboard.json"} {
		text, err := os.ReadFile(inRoot("examples", "alerting", name))
		require.NoError(t, err)
		used := regexp.MustCompile(`otelcol_(\w+)`).FindAllStringSubmatch(string(text), -1)
		require.NotEmpty(t, used, name)
		for _, match := range used {
			metric := match[1]
			for _, suffix := range []string{"_bucket", "_sum", "_count"} { // of histograms
				if base, found := strings.CutSuffix(metric, suffix); found && slices.Contains(own, base) {
					metric = base
				}
			}
			require.Contains(t, own, metric, name)
		}
		for _, metric := range regexp.MustCompile(`tool_correctness:\w+:\w+`).FindAllString(string(text), -1) {
			require.Contains(t, recorded, metric, name)
		}
	}
}

// Each alert links to its section in the docs, which begins with its severity. Each has a test in which it fires.
func TestAlertsAreDocumented(t *testing.T) {
	alerts, _ := alertRules(t)
	page, err := os.ReadFile(inRoot("docs", "operations.md"))
	require.NoError(t, err)
	tests, err := os.ReadFile(inRoot("examples", "alerting", "rules_test.yaml"))
	require.NoError(t, err)
	sections := anchors(string(page))
	urgency := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^### (\w+)\n\n\*(\w+)\.\*`).FindAllStringSubmatch(string(page), -1) {
		urgency[match[1]] = strings.ToLower(match[2])
	}
	for name, alert := range alerts {
		annotations := alert.Annotations
		link := strings.ToLower(name)
		require.True(t, sections[link], "docs/operations.md has no section %s", name)
		require.Equal(t, alert.Labels["severity"], urgency[name], "docs/operations.md says how urgent %s is", name)
		require.True(t, strings.HasSuffix(annotations["runbook_url"], "/docs/operations.md#"+link), name)
		require.NotEmpty(t, annotations["summary"], name)
		require.NotEmpty(t, annotations["description"], name)
		require.Contains(t, string(tests), `alertname="`+name+`", alertstate="firing"`)
	}
}
