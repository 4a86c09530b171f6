package callcondition

import (
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Parser compiles conditions. It is for one goroutine.
type Parser struct {
	ottl ottl.Parser[*call]
	// compiling is the condition in hand, and fault the first path in it that is unknown.
	compiling *Condition
	fault     *PathError
}

// NewParser returns a parser. OTTL logs to telemetry.
func NewParser(telemetry component.TelemetrySettings) (*Parser, error) {
	p := new(Parser)
	parser, err := ottl.NewParser(ottlfunctions.FunctionsOf[*call](), p.path, telemetry)
	p.ottl = parser
	return p, err
}

// A Condition is a compiled condition on a call. It is safe for concurrent use.
type Condition struct {
	text              string
	compiled          *ottl.Condition[*call]
	arguments, output bool
}

var _ scoring.Condition = (*Condition)(nil)

// String is the condition as it was written.
func (c *Condition) String() string { return c.text }

// Reads says which payloads of a call the condition may read.
func (c *Condition) Reads() (arguments, output bool) { return c.arguments, c.output }

// Parse compiles a condition. The error is a [*PathError] if a path is unknown, else OTTL's.
func (p *Parser) Parse(text string) (*Condition, error) {
	p.compiling, p.fault = &Condition{text: text}, nil
	compiled, err := p.ottl.ParseCondition(text)
	switch {
	case p.fault != nil:
		p.fault.Line, p.fault.Column = condition.Locate(text, p.fault.Path)
		return nil, p.fault
	case err != nil:
		return nil, err
	}
	p.compiling.compiled = compiled
	return p.compiling, nil
}

// A PathError is a path of a condition that does not exist.
type PathError struct {
	// Path is the path as far as its first key, and Rule says what is wrong with it.
	Path, Rule string
	// Unknown says that there is no such path, so that another name was meant.
	Unknown bool
	// Line and Column are the place of the path in the condition, from 1. They are 0 if it was not found.
	Line, Column int
}

func (e *PathError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("the path %q %s", e.Path, e.Rule)
	}
	return fmt.Sprintf("%d:%d: the path %q %s", e.Line, e.Column, e.Path, e.Rule)
}
