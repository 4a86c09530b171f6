package main

import (
	"encoding/json"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// inputKeys are attributes in which instrumentations write what an agent was asked.
var inputKeys = []string{
	"gen_ai.input.messages", "input.value", "ai.prompt", "langfuse.observation.input", "traceloop.entity.input", "mastra.agent_run.input",
	"mlflow.spanInputs", "genkit:input", "pydantic_ai.all_messages", "user_prompt",
}

// inputOf is what the user asked, as far as the run's own span says.
func inputOf(attributes pcommon.Map) string {
	for _, key := range inputKeys {
		if v, has := attributes.Get(key); has {
			if text := strings.TrimSpace(asked(v.AsString())); text != "" {
				return text
			}
		}
	}
	return ""
}

// asked finds the user's last message in a text, which may be JSON.
func asked(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return askedIn(v)
}

// inputNames are keys below which an input may be, those of messages first.
var inputNames = []string{"messages", "input", "input_args", "args", "task", "question", "query", "prompt", "content", "parts", "text"}

func askedIn(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, element := range slices.Backward(v) {
			if text := askedIn(element); text != "" {
				return text
			}
		}
	case map[string]any:
		if role, is := v["role"].(string); is && !strings.EqualFold(role, "user") {
			return ""
		}
		for _, name := range inputNames {
			if text := askedIn(v[name]); text != "" {
				return text
			}
		}
	}
	return ""
}
