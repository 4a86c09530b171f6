package conditions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
)

// Failure is what may be logged of an error of OTTL, whose text may quote private values. It is the text if values says so, or if
// the error is about types alone. Otherwise it is the types of the error and of those that it wraps.
func Failure(err error, values bool) string {
	var wrongType ottl.TypeError
	switch {
	case values:
		return err.Error()
	case errors.As(err, &wrongType):
		return wrongType.Error()
	}
	var types []string
	for ; err != nil; err = errors.Unwrap(err) {
		types = append(types, fmt.Sprintf("%T", err))
	}
	return "an error of the types " + strings.Join(types, ", ") + " (annotate.values: true logs its text, which may quote attributes)"
}
