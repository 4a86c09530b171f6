package scoring

// This file has the options of the native method: their types, and their words in a configuration. Each is implemented
// here:
//
//	order            any: native_run.go, internal/bipartite; in_order and exact: native_in_order.go, internal/pairing
//	arguments        native_payload.go reads them, native_compare.go has the modes, internal/objects compares
//	output           native_payload.go reads it, internal/outputs compares it
//	score            native_score.go, internal/measure
//	extra_calls      native_score.go
//	repeats          native_repeats.go
//	concurrent       native_concurrent.go, internal/intervalorder
//	threshold        verdict.go
//	fuzzy_threshold  native_compare.go
//
// The keys of an expectation that only this method understands:
//
//	any_of (lists)           native_run.go tries each list
//	any_of (names), count, optional, arguments_match
//	                         native_plan.go
//	where                    native_where.go
//	* in a name              native_glob.go, internal/glob
//	forbidden                native_forbidden.go
//	ignore_arguments, argument_defaults
//	                         native_tolerance.go, internal/rewrite
//	max_calls                native_max_calls.go
//
// To add an option, add its type and words here, a field and its check in native.go, and the code in a file above. In the
// root, add a field of NativeConfig, a line in its method and a key in config.schema.yaml. Add a row to the table of doc.go
// and one to docs/methods.md.

import "slices"

// Order says how much the order of the calls counts in the native method.
type Order uint8

const (
	// AnyOrder pairs expected tools and calls at any position.
	AnyOrder Order = iota
	// InOrder requires the pairs in the expected order. Other calls may come between.
	InOrder
	// ExactOrder requires the expected calls position by position, and no others.
	ExactOrder
)

// ArgumentMode says how the native method compares the arguments of a call with those of an expected tool.
type ArgumentMode uint8

const (
	// ArgumentsUnset leaves the choice to the metric. In a metric it means ArgumentsIgnore.
	ArgumentsUnset ArgumentMode = iota
	// ArgumentsIgnore compares names only.
	ArgumentsIgnore
	// ArgumentsExact requires equal arguments.
	ArgumentsExact
	// ArgumentsSubset requires every expected key in the call, with an equal value; objects recursively.
	ArgumentsSubset
	// ArgumentsSuperset requires every key of the call among the expected ones, with an equal value; objects recursively.
	ArgumentsSuperset
	// ArgumentsPartial gives a partial credit: the number of equal top-level keys over the number of distinct keys of both
	// sides.
	ArgumentsPartial
	// ArgumentsFuzzy requires that the mean likeness of the expected keys is at least FuzzyThreshold.
	ArgumentsFuzzy
)

// OutputMode says how the native method compares what a call returned.
type OutputMode uint8

const (
	OutputIgnore OutputMode = iota
	OutputExact
	OutputSubset
)

// Measure says how the native method computes a score from an alignment.
type Measure uint8

const (
	// Recall is the matched credit over the number of required calls.
	Recall Measure = iota
	// Precision is the matched credit over the number of calls in the run.
	Precision
	// F1 is the harmonic mean of recall and precision.
	F1
	// AllOrNothing is 1 if every required call was matched in full, else 0.
	AllOrNothing
)

// ExtraCalls says whether the score is 0 if a call matches no expected tool.
type ExtraCalls uint8

const (
	AllowExtraCalls ExtraCalls = iota
	ForbidExtraCalls
)

// Repeats says whether identical calls count each or once.
type Repeats uint8

const (
	CountRepeats Repeats = iota
	CollapseRepeats
	// UniqueRepeats treats both lists as sets: equal calls count once, and so do equal expected tools, at any positions.
	UniqueRepeats
)

// Concurrent says whether calls that overlap in time have an order among each other, under InOrder and ExactOrder.
type Concurrent uint8

const (
	// ConcurrentAnyOrder takes such calls in the order that fits best. It reads [Call.Time].
	ConcurrentAnyOrder Concurrent = iota
	// ConcurrentAsStarted takes all calls in the order of the list.
	ConcurrentAsStarted
)

// The words of a configuration, each list in the order of its constants. The empty word of an unset mode is never parsed.
var (
	orderWords      = []string{"any", "in_order", "exact"}
	argumentWords   = []string{"", "ignore", "exact", "subset", "superset", "partial", "fuzzy"}
	outputWords     = []string{"ignore", "exact", "subset"}
	measureWords    = []string{"recall", "precision", "f1", "all_or_nothing"}
	extraCallsWords = []string{"allow", "forbid"}
	repeatsWords    = []string{"count", "collapse", "unique"}
	concurrentWords = []string{"any_order", "as_started"}
)

// OrderWords returns the words that [ParseOrder] accepts, the default first.
func OrderWords() []string { return slices.Clone(orderWords) }

// ArgumentModeWords returns the words that [ParseArgumentMode] accepts, the default first.
func ArgumentModeWords() []string { return slices.Clone(argumentWords[1:]) }

// OutputModeWords returns the words that [ParseOutputMode] accepts, the default first.
func OutputModeWords() []string { return slices.Clone(outputWords) }

// MeasureWords returns the words that [ParseMeasure] accepts, the default first.
func MeasureWords() []string { return slices.Clone(measureWords) }

// ExtraCallsWords returns the words that [ParseExtraCalls] accepts, the default first.
func ExtraCallsWords() []string { return slices.Clone(extraCallsWords) }

// RepeatsWords returns the words that [ParseRepeats] accepts, the default first.
func RepeatsWords() []string { return slices.Clone(repeatsWords) }

// ConcurrentWords returns the words that [ParseConcurrent] accepts, the default first.
func ConcurrentWords() []string { return slices.Clone(concurrentWords) }

// ParseOrder parses a word of a configuration. It returns false for an unknown word.
func ParseOrder(word string) (Order, bool) { return parseWord[Order](orderWords, word) }

// ParseArgumentMode is like [ParseOrder] for an ArgumentMode.
func ParseArgumentMode(word string) (ArgumentMode, bool) {
	return parseWord[ArgumentMode](argumentWords, word)
}

// ParseOutputMode is like [ParseOrder] for an OutputMode.
func ParseOutputMode(word string) (OutputMode, bool) { return parseWord[OutputMode](outputWords, word) }

// ParseMeasure is like [ParseOrder] for a Measure.
func ParseMeasure(word string) (Measure, bool) { return parseWord[Measure](measureWords, word) }

// ParseExtraCalls is like [ParseOrder] for ExtraCalls.
func ParseExtraCalls(word string) (ExtraCalls, bool) {
	return parseWord[ExtraCalls](extraCallsWords, word)
}

// ParseRepeats is like [ParseOrder] for Repeats.
func ParseRepeats(word string) (Repeats, bool) { return parseWord[Repeats](repeatsWords, word) }

// ParseConcurrent is like [ParseOrder] for Concurrent.
func ParseConcurrent(word string) (Concurrent, bool) {
	return parseWord[Concurrent](concurrentWords, word)
}

func (o Order) String() string        { return wordOf(orderWords, o) }
func (m ArgumentMode) String() string { return wordOf(argumentWords, m) }
func (m OutputMode) String() string   { return wordOf(outputWords, m) }
func (m Measure) String() string      { return wordOf(measureWords, m) }
func (x ExtraCalls) String() string   { return wordOf(extraCallsWords, x) }
func (r Repeats) String() string      { return wordOf(repeatsWords, r) }
func (c Concurrent) String() string   { return wordOf(concurrentWords, c) }

func parseWord[T ~uint8](words []string, word string) (T, bool) {
	i := slices.Index(words, word)
	if i < 0 || word == "" {
		return 0, false
	}
	return T(i), true
}

func wordOf[T ~uint8](words []string, x T) string {
	if int(x) >= len(words) {
		return "unknown"
	}
	return words[x]
}

// known reports whether words has a word for x.
func known[T ~uint8](words []string, x T) bool { return int(x) < len(words) }
