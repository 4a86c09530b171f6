package valuediff

import (
	"fmt"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/safename"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Shown returns a value in a few characters: up to limit bytes of a number or text, the size of an array or object.
func Shown(v jsonvalue.Value, limit int) string {
	switch v.Kind() {
	case jsonvalue.Bool:
		return strconv.FormatBool(v.Bool())
	case jsonvalue.Number:
		return safename.Of(v.Lexeme(), limit)
	case jsonvalue.String:
		return `"` + safename.Of(v.Text(), limit) + `"`
	case jsonvalue.Array:
		return fmt.Sprintf("an array of %d", v.Len())
	case jsonvalue.Object:
		return fmt.Sprintf("an object of %d", v.Len())
	}
	return "null"
}
