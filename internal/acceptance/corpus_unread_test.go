package acceptance

// unread lists recordings in which the processor does not find the true calls yet. A row that is no longer true fails the
// test.
var unread = map[string]bool{
	// Each step of a run is a trace of its own, and only the conversation joins them.
	"gemini-cli@0.61.0/error_then_retry": true,
	"gemini-cli@0.61.0/no_content":       true,
	"gemini-cli@0.61.0/repeated_tool":    true,
	"gemini-cli@0.61.0/streaming":        true,
	"gemini-cli@0.61.0/sub_agent":        true,
	"gemini-cli@0.61.0/two_sequential":   true,
	// One span stands for all calls of a step.
	"agentscope-java@2.0.0/parallel_tools": true,
}
