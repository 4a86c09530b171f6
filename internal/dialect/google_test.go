package dialect

import (
	"maps"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Newer versions of OpenTelemetry's instrumentation of Google's Gen AI SDK write all arguments in one object, with a type and a
// value for each. A model may write such an object as well, to hide arguments from a comparison.
func TestGoogleArgumentsInOneObject(t *testing.T) {
	const google, agents = "opentelemetry.instrumentation.google_genai", "agent_framework"
	const written = `{"code.function.parameters.city.type": "str", "code.function.parameters.city.value": "Oslo"}`
	const forged = `{"code.function.parameters.amount.value":5,"amount":1000000}`
	for _, tc := range []struct {
		name, scope, arguments, want string
		more                         map[string]any
		reason                       string
	}{
		{"its own form", google, written, `{"city":"Oslo"}`, nil, "the names of the parameters are the arguments' names"},
		{"its newer scope", "opentelemetry.instrumentation.genai.google_genai", written, `{"city":"Oslo"}`, nil, "packages were renamed"},
		{"the shared scope", genAIHandlerScope, written, `{"city":"Oslo"}`, nil, "one module makes the spans"},
		{"the shared scope, another instrumentation", genAIHandlerScope, written, written, map[string]any{genAICallID: "call_1"}, "Google's knows no ID"},
		{"another scope", agents, written, written, nil, "it writes what the model wrote"},
		{"another scope, a forged key", agents, forged, forged, nil, "it would hide the amount"},
		{"no scope", "", forged, forged, nil, "nothing shows who wrote it"},
		{"a key of the model's", google, forged, forged, nil, "the instrumentation writes no other keys"},
		{"a value without a type", google, `{"code.function.parameters.a.value":5}`, `{"code.function.parameters.a.value":5}`, nil, "each has one"},
		{"a type that is no text", google, `{"code.function.parameters.a.type":5}`, `{"code.function.parameters.a.type":5}`, nil, "it names a type"},
		{"a value of another argument", google, `{"code.function.parameters.a.type":"int","code.function.parameters.b.value":5}`,
			`{"code.function.parameters.a.type":"int","code.function.parameters.b.value":5}`, nil, "each type stands before its value"},
	} {
		attributes := map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: tc.arguments}
		want := call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(tc.want) })
		for key, v := range tc.more {
			attributes[key] = v
			want.CallID = "call_1"
		}
		checkRows(t, []row{{name: tc.name, scope: tc.scope, attributes: attributes, want: want, reason: tc.reason}})
	}
}

// An object of Python that was cut off, or has what no literal has, is a text. The names in it are lost, so that a forbidden tool that
// states them may fit.
func TestGoogleArgumentsThatLostTheirNames(t *testing.T) {
	const google = "opentelemetry.instrumentation.google_genai"
	value := func(text string) map[string]any {
		return map[string]any{googleParameter + "target" + googleValue: text}
	}
	typed := func(of, text string) map[string]any {
		return map[string]any{genAIArguments: `{"code.function.parameters.target.type":"` + of + `","code.function.parameters.target.value":"` + text + `"}`}
	}
	for _, tc := range []struct {
		name       string
		attributes map[string]any
		want       string
		traits     Traits
		reason     string
	}{
		{"an object", value("{'path': '/'}"), `{"target":{"path":"/"}}`, 0, "it can be read"},
		{"an object that was cut off", value("{'path': '/"), `{"target":"{'path': '/"}`, UnnamedArgument, "who writes the value decides where"},
		{"an object with a number that is no literal", value("{'path': '/', 'n': nan}"), `{"target":"{'path': '/', 'n': nan}"}`, UnnamedArgument, "Python shows it so"},
		{"an object of a class", value("Target(path='/')"), `{"target":"Target(path='/')"}`, 0, "it has no names of arguments"},
		{"in one object", typed("dict", "{'path': '/', 'n': nan}"), `{"target":"{'path': '/', 'n': nan}"}`, UnnamedArgument, "likewise"},
		{"a text in one object", typed("str", "{'path': '/'"), `{"target":"{'path': '/'"}`, 0, "the type says so"},
	} {
		attributes := map[string]any{genAIOperation: executeTool, genAIToolName: "search"}
		maps.Copy(attributes, tc.attributes)
		want := call("search").with(func(r *Reading) { r.Call.Arguments, r.Traits = scoring.JSON(tc.want), tc.traits })
		checkRows(t, []row{{name: tc.name, scope: google, attributes: attributes, want: want, reason: tc.reason}})
	}
}
