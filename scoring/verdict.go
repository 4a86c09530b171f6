package scoring

// Status says whether a run was scored and, if not, why.
type Status uint8

const (
	Scored       Status = iota // the verdict has a score
	NotEvaluable               // the telemetry lacks what the metric compares, such as arguments, or a limit was exceeded
	Failed                     // the reference method crashes on this input; written out as "error"
	Undefined                  // the reference method yields NaN on this input
	Pending                    // the conversation stopped at a tool request that has no result yet, so the run is not over
)

// String returns the status as it is written on spans.
func (s Status) String() string {
	return [...]string{"scored", "not_evaluable", "error", "undefined", "pending"}[s]
}

// A Verdict is the result of a method for one run.
//
//   - Score is meaningful only if Status is Scored. Then it is in [0, 1]. DeepEval's sums are reproduced to the last bit, and
//     may exceed 1 by a few units in the last place.
//   - Passed implies Scored, and equals Score >= Threshold.
//   - Why is empty if Status is Scored. Otherwise it is one sentence without values.
type Verdict struct {
	Status    Status
	Score     float64
	Threshold float64
	Passed    bool
	Why       string
	// Alignment explains the score: which call was matched with which expected tool.
	Alignment Alignment
	// Turns are the verdicts of the turns, if the expectation has turns. The alignment then has all their expected tools, calls and pairs,
	// and which calls are forbidden or repeats.
	Turns []Verdict
}
