package scoring

// The options of the native method: their types, and their words in a configuration. Where each is carried out:
//
//	order            any: native_any_order.go, internal/bipartite; in_order and exact: native_in_order.go, internal/pairing
//	arguments        native_credits.go reads them, native_compare.go has the modes, internal/objects compares
//	output           native_credits.go reads it, internal/outputs compares it
//	score            native_score.go, internal/measure
//	extra_calls      native_score.go
//	repeats          native_repeats.go
//	concurrent       native_concurrent.go, internal/intervalorder
//	threshold        verdict.go
//	fuzzy_threshold  native_compare.go
//
// And the keys of an expectation that only this method understands:
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
// To add an option: its type and words here, a field and its check in native.go, the code in a file above, a row in the
// table of doc.go; in the root a field of NativeConfig, a line in its method and a key in config.schema.yaml; a row in
// docs/methods.md.

import "slices"

// Order is how much the order of the calls matters to the native method.
type Order uint8

const (
	// AnyOrder pairs expected tools and calls at any position.
	AnyOrder Order = iota
	// InOrder requires the pairs in the expected order. Other calls may come between.
	InOrder
	// ExactOrder requires the expected calls position by position, and no others.
	ExactOrder
)

// ArgumentMode is how the native method compares the arguments of a call with those of an expected tool.
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
	// ArgumentsPartial gives a partial credit: equal top-level keys over the keys of both sides together.
	ArgumentsPartial
	// ArgumentsFuzzy requires a mean likeness of the expected keys of FuzzyThreshold or more.
	ArgumentsFuzzy
)

// OutputMode is how the native method compares what a call returned.
type OutputMode uint8

const (
	OutputIgnore OutputMode = iota
	OutputExact
	OutputSubset
)

// Measure is how the native method computes a score from an alignment.
type Measure uint8

const (
	// Recall is the matched credit over the required calls.
	Recall Measure = iota
	// Precision is the matched credit over the calls that were made.
	Precision
	// F1 is their harmonic mean.
	F1
	// AllOrNothing is 1 if every required call was matched in full, else 0.
	AllOrNothing
)

// ExtraCalls says whether a call that matches no expected tool makes the score 0.
type ExtraCalls uint8

const (
	AllowExtraCalls ExtraCalls = iota
	ForbidExtraCalls
)

// Repeats says whether identical calls are as many calls, or one.
type Repeats uint8

const (
	CountRepeats Repeats = iota
	CollapseRepeats
	// UniqueRepeats takes both lists for sets: equal calls, and equal expected tools, count once wherever they stand.
	UniqueRepeats
)

// Concurrent says whether calls that ran at the same time have an order among each other, under InOrder and ExactOrder.
type Concurrent uint8

const (
	// ConcurrentAnyOrder takes such calls in the order that fits best: see [Interval].
	ConcurrentAnyOrder Concurrent = iota
	// ConcurrentAsStarted takes all calls in the order of the list.
	ConcurrentAsStarted
)

// The words of a configuration, each list in the order of its constants. The empty word of an unset mode cannot
// be written.
var (
	orderWords      = []string{"any", "in_order", "exact"}
	argumentWords   = []string{"", "ignore", "exact", "subset", "superset", "partial", "fuzzy"}
	outputWords     = []string{"ignore", "exact", "subset"}
	measureWords    = []string{"recall", "precision", "f1", "all_or_nothing"}
	extraCallsWords = []string{"allow", "forbid"}
	repeatsWords    = []string{"count", "collapse", "unique"}
	concurrentWords = []string{"any_order", "as_started"}
)

// OrderWords are the words that [ParseOrder] knows, the default first.
func OrderWords() []string { return slices.Clone(orderWords) }

// ArgumentModeWords are the words that [ParseArgumentMode] knows, the default first.
func ArgumentModeWords() []string { return slices.Clone(argumentWords[1:]) }

// OutputModeWords are the words that [ParseOutputMode] knows, the default first.
func OutputModeWords() []string { return slices.Clone(outputWords) }

// MeasureWords are the words that [ParseMeasure] knows, the default first.
func MeasureWords() []string { return slices.Clone(measureWords) }

// ExtraCallsWords are the words that [ParseExtraCalls] knows, the default first.
func ExtraCallsWords() []string { return slices.Clone(extraCallsWords) }

// RepeatsWords are the words that [ParseRepeats] knows, the default first.
func RepeatsWords() []string { return slices.Clone(repeatsWords) }

// ConcurrentWords are the words that [ParseConcurrent] knows, the default first.
func ConcurrentWords() []string { return slices.Clone(concurrentWords) }

// ParseOrder reads the word of a configuration.
func ParseOrder(word string) (Order, bool) { return parseWord[Order](orderWords, word) }

// ParseArgumentMode reads the word of a configuration.
func ParseArgumentMode(word string) (ArgumentMode, bool) {
	return parseWord[ArgumentMode](argumentWords, word)
}

// ParseOutputMode reads the word of a configuration.
func ParseOutputMode(word string) (OutputMode, bool) { return parseWord[OutputMode](outputWords, word) }

// ParseMeasure reads the word of a configuration.
func ParseMeasure(word string) (Measure, bool) { return parseWord[Measure](measureWords, word) }

// ParseExtraCalls reads the word of a configuration.
func ParseExtraCalls(word string) (ExtraCalls, bool) {
	return parseWord[ExtraCalls](extraCallsWords, word)
}

// ParseRepeats reads the word of a configuration.
func ParseRepeats(word string) (Repeats, bool) { return parseWord[Repeats](repeatsWords, word) }

// ParseConcurrent reads the word of a configuration.
func ParseConcurrent(word string) (Concurrent, bool) {
	return parseWord[Concurrent](concurrentWords, word)
}

func (o Order) String() string        { return wordOf(orderWords, o) }
func (m ArgumentMode) String() string { return wordOf(argumentWords, m) }
func (m OutputMode) String() string   { return wordOf(outputWords, m) }
func (m Measure) String() string      { return wordOf(measureWords, m) }
func (x ExtraCalls) String() string   { return wordOf(extraCallsWords, x) }
func (r Repeats) String() string      { return wordOf(repeatsWords, r) }

func (c Concurrent) String() string { return wordOf(concurrentWords, c) }

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

// known reports whether x is one of the constants that words names.
func known[T ~uint8](words []string, x T) bool { return int(x) < len(words) }
