package expectcheck

import (
	"fmt"
	"strings"
)

// Refusals are the rules that an expectation breaks whose metrics have methods that do not understand its keys: one for each
// such metric. Each names metrics of all that do. It begins with who, which is empty for the expectation itself.
func Refusals(keys []string, who string, metrics, all []Metric) (rules []string) {
	if len(keys) == 0 {
		return nil
	}
	native := NativeNames(metrics)
	if len(native) == 0 {
		native = NativeNames(all)
	}
	advice := "define a metric with the native method and name it in `metrics`"
	if len(native) > 0 {
		advice = fmt.Sprintf("say metrics: [%s]", strings.Join(native, ", "))
	}
	for _, m := range metrics {
		if name := m.Method.Name(); name != "native" {
			rules = append(rules, fmt.Sprintf("%suses %s, which only the native method understands, but is scored by the metric %q, whose method is %s: %s",
				who, strings.Join(keys, ", "), m.Name, name, advice))
		}
	}
	return rules
}

// NativeNames are the names of the metrics with the native method.
func NativeNames(metrics []Metric) []string {
	var names []string
	for _, m := range metrics {
		if m.Method.Name() == "native" {
			names = append(names, m.Name)
		}
	}
	return names
}
