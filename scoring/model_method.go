package scoring

// A Method turns an expectation and the calls of a run into a verdict. The set is closed: native, and one
// for each reference system.
type Method interface {
	// Name is the method's key in a configuration: "native", "axion", "deepeval", ...
	Name() string
	// Judge never panics and is safe for concurrent use. Calls are in the run's order.
	// It keeps calls in the verdict's alignment.
	Judge(e *Expectation, calls []Call) Verdict
	// Compares says which payloads the method reads, so that nobody keeps what nobody reads.
	Compares() (arguments, output bool)

	sealed()
}
