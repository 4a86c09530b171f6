package dialect

import (
	"encoding/json"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const mcpArgument = "mcp.request.argument." // followed by the argument's name in lower case; its value is JSON text

func mcpExceptions(s *source, r *Reading) {
	r.ofMCP()
	r.Call.Arguments = r.Call.Arguments.Or(s.mcpArguments())
}

// mcpArguments joins arguments that are in one attribute each. If there is none, the call had no arguments or they were not
// captured; the span looks the same. If one was cut off, the others are not all that is compared.
func (s *source) mcpArguments() scoring.Payload {
	var b []byte
	for key, v := range s.attributes.All() {
		name, ok := strings.CutPrefix(key, mcpArgument)
		if !ok || name == "" || v.Type() != pcommon.ValueTypeStr {
			continue
		}
		b = appendName(b, name)
		switch text := v.Str(); {
		case json.Valid([]byte(text)):
			b = append(b, text...)
		case words.IsDocument(text), strings.HasPrefix(text, `"`):
			return scoring.TooLarge()
		default:
			b = attributes.AppendString(b, text)
		}
	}
	return closed(b)
}

// appendName begins the next member of an object, and the object if it is the first.
func appendName(b []byte, name string) []byte {
	before := byte(',')
	if len(b) == 0 {
		before = '{'
	}
	return append(attributes.AppendString(append(b, before), name), ':')
}

// closed is the object that appendName began, or nothing captured if it was never begun.
func closed(b []byte) scoring.Payload {
	if len(b) == 0 {
		return scoring.Payload{}
	}
	return scoring.JSON(string(append(b, '}')))
}
