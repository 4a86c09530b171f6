package valuediff

import (
	"fmt"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/safename"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Shown is a value in a few characters. A number or a text takes up to limit bytes, an array or an object is its size.
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
