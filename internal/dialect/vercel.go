package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

const (
	vercelScope     = "gen_ai"                        // in version 7
	vercelArguments = "ai.toolCall.args"              // JSON text
	vercelResult    = "ai.toolCall.result"            // JSON text
	vercelContext   = "ai.settings.context.sessionId" // in version 7, on the spans of both its telemetries
)

// vercelSucceeded: after a failed call openinference-vercel gives the error's status to every later span of the trace. The SDK writes a
// result only for a call that succeeded, so a result proves success.
func vercelSucceeded(_ *source, r *Reading) {
	if r.Call.Status == scoring.StatusFailed && r.Call.Output.Captured() && !r.Call.Output.Look(isMask) {
		r.Call.Status = scoring.StatusOK
	}
}
