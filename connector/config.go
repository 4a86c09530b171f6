package toolcorrectnessconnector

// Config chooses what the records say besides the event itself.
type Config struct {
	// Azure adds the attribute microsoft.custom_event.name, by which Azure Monitor takes a record as a custom event.
	Azure bool `mapstructure:"azure"`

	// Evaluator adds what was evaluated, as Pydantic Evals writes it, and who evaluated, as it is proposed for the conventions:
	// gen_ai.evaluation.target, and gen_ai.evaluation.evaluator.id, .version and .type.
	Evaluator bool `mapstructure:"evaluator"`
}
