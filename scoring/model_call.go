package scoring

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
