package ottltext

import (
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// A SpanParser compiles texts that read the anchor of a run. It is for one goroutine.
type SpanParser struct {
	// ottl reads attributes with our own getters, and plain with OTTL's.
	ottl, plain ottl.Parser[span]
}

// NewSpanParser returns a parser. OTTL logs to telemetry.
func NewSpanParser(telemetry component.TelemetrySettings) (*SpanParser, error) {
	functions := ottlfunctions.Functions()
	plain, err := ottlspan.NewParser(functions, telemetry)
	if err != nil {
		return nil, err
	}
	p := &SpanParser{plain: plain}
	p.ottl, err = ottl.NewParser(functions, p.path, telemetry, ottl.WithEnumParser[span](p.enum))
	return p, err
}

// When compiles a condition on a run. The error quotes the text.
func (p *SpanParser) When(text string) (*ottl.Condition[span], error) {
	compiled, err := p.ottl.ParseCondition(text)
	if err != nil { // OTTL's own words, and the rare paths that only OTTL reads
		compiled, err = p.plain.ParseCondition(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no OTTL condition: %s", text, explain(text, err))
	}
	return compiled, nil
}

// Key compiles a value, such as attributes["test.case.name"]. The error quotes the text.
func (p *SpanParser) Key(text string) (*ottl.ValueExpression[span], error) {
	compiled, err := p.ottl.ParseValueExpression(text)
	if err != nil { // as in When
		compiled, err = p.plain.ParseValueExpression(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%q is no OTTL value: %s", text, explain(text, err))
	}
	return compiled, nil
}

// A CallParser compiles conditions on a call. It is for one goroutine.
type CallParser struct {
	calls *callcondition.Parser
}

// NewCallParser returns a parser. OTTL logs to telemetry.
func NewCallParser(telemetry component.TelemetrySettings) (*CallParser, error) {
	parser, err := callcondition.NewParser(telemetry)
	return &CallParser{parser}, err
}

// Where compiles a condition on a call. The error quotes the text.
func (p *CallParser) Where(text string) (*callcondition.Condition, error) {
	compiled, err := p.calls.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%q is no condition on a call: %s", text, explain(text, err))
	}
	return compiled, nil
}
