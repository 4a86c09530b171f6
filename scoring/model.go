package scoring

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// A Call is one invocation of a tool by an agent, as the telemetry reports it.
type Call struct {
	// Name is the tool's name, compared code point by code point.
	Name string
	// Type is the type of the tool in DeepEval's sense. No span reports it reliably: calls read from spans are functions.
	Type ToolType
	// Status is how the call ended.
	Status CallStatus
	// Unnamed: the keys of Arguments may not be the names of arguments. Then a forbidden tool may fit in spite of other keys.
	Unnamed bool
	// Turn is the turn of a conversation that has the call, from 0. Calls are in the order of their turns. Only an expectation with
	// turns reads it.
	Turn int32
	// Arguments is what the agent passed to the tool, and Output is what the tool returned.
	Arguments, Output Payload
	// Time is when the call ran. Only [ConcurrentAnyOrder] reads it. If the time of any call is unknown, calls keep the
	// order of the list.
	Time Interval
}

// CallStatus is how a call ended.
type CallStatus uint8

const (
	StatusUnset  CallStatus = iota // the telemetry does not say
	StatusOK                       // it says that the call succeeded
	StatusFailed                   // it says that the call failed
)

// String returns "unset", "ok" or "error".
func (s CallStatus) String() string { return [...]string{"unset", "ok", "error"}[s] }

// ToolType distinguishes a plain function from a tool behind the Model Context Protocol. DeepEval 4.1.9 and later compare it.
type ToolType uint8

const (
	FunctionTool ToolType = iota
	MCPTool
)

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

// A Value is one JSON value as it was written: see [jsonvalue.Value]. The zero value is null.
type Value = jsonvalue.Value

// A Decoder decodes one text after another into memory that it uses again: see [jsonvalue.Decoder].
type Decoder = jsonvalue.Decoder

// A Digest is a hash of a value. [Equal] values have the same Digest, all others have different ones.
type Digest = jsonvalue.Digest

const (
	Null   = jsonvalue.Null
	Bool   = jsonvalue.Bool
	Number = jsonvalue.Number
	String = jsonvalue.String
	Array  = jsonvalue.Array
	Object = jsonvalue.Object
)

// Decode reads one JSON document: see [jsonvalue.Decode]. The error is a [*jsonvalue.SyntaxError].
func Decode(text string) (Value, error) { return jsonvalue.Decode(text) }

// StringValue returns the string s as a value.
func StringValue(s string) Value { return jsonvalue.StringValue(s) }

// Equal is the native method's equality: see [jsonvalue.Equal].
func Equal(a, b Value) bool { return jsonvalue.Equal(a, b) }

// ContentOf extracts the result from content blocks as MCP, Strands and model providers write them: see [compare.ContentOf].
func ContentOf(v Value) (compare.Content, bool) { return compare.ContentOf(v) }
