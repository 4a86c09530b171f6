package scoring

// A Method turns an expectation and the calls of a run into a verdict. The set is closed: native, and the reference
// methods.
type Method interface {
	// Name is the method's key in a configuration: "native", "axion", "deepeval", ...
	Name() string
	// Judge scores the calls of a run, in their order. It never panics and is safe for concurrent use. The verdict's
	// alignment keeps the slice calls, so the caller must not change it while the verdict is in use.
	Judge(e *Expectation, calls []Call) Verdict
	// Compares reports which payloads the method reads. The caller need not keep the others.
	Compares() (arguments, output bool)

	sealed()
}
