package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestUserInput(t *testing.T) {
	const want = "Where is my order?"
	for _, tc := range []struct{ key, value, want, reason string }{
		{"gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"Be kind."}]},{"role":"user","parts":[{"type":"text","content":"Where is my order?"}]}]`, want, "the user's message, and not the system's"},
		{"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Hello"}]},{"role":"assistant","parts":[]},{"role":"user","parts":[{"type":"text","content":"Where is my order?"}]}]`, want, "the last one"},
		{"input.value", want, want, "a plain text"},
		{"input.value", `{"input_args": {"question": "Where is my order?"}}`, want, "an argument"},
		{"ai.prompt", `{"system":"Be kind.","messages":[{"role":"user","content":"Where is my order?"}]}`, want, "messages come first"},
		{"traceloop.entity.input", `{"args":["Where is my order?"],"kwargs":{}}`, want, "arguments of a function"},
		{"genkit:input", `"Where is my order?"`, want, "a text of JSON"},
		{"input.value", `{"resume":{"decisions":[]}}`, "", "nothing that a user asked"},
		{"gen_ai.request.model", want, "", "another attribute"},
	} {
		attributes := pcommon.NewMap()
		attributes.PutStr(tc.key, tc.value)
		assert.Equal(t, tc.want, inputOf(attributes), tc.reason)
	}
}
