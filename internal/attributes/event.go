package attributes

// EvaluationEvent is the event that a log record of a verdict is. The connector writes it, and the exporter reads it. The names
// are those of the semantic conventions (model/gen-ai/events.yaml).
const EvaluationEvent = "gen_ai.evaluation.result"

// The attributes of the event.
const (
	EvaluationName        = "gen_ai.evaluation.name"
	EvaluationScore       = "gen_ai.evaluation.score.value"
	EvaluationLabel       = "gen_ai.evaluation.score.label"
	EvaluationExplanation = "gen_ai.evaluation.explanation"
	EvaluationTarget      = "gen_ai.evaluation.target"       // of Pydantic Evals
	EvaluatorID           = "gen_ai.evaluation.evaluator.id" // a proposal, as the next two
	EvaluatorVersion      = "gen_ai.evaluation.evaluator.version"
	EvaluatorType         = "gen_ai.evaluation.evaluator.type"
	ErrorType             = "error.type"
	AgentName             = "gen_ai.agent.name"
	ConversationID        = "gen_ai.conversation.id"
	ResponseID            = "gen_ai.response.id"
)
