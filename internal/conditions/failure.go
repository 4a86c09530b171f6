package conditions

import (
	"errors"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
)

// Failure is what may be logged of an error of OTTL, whose text may quote private values: the text if values says so, or if the error is
// about types alone.
func Failure(err error, values bool) string {
	var wrongType ottl.TypeError
	switch {
	case values:
		return err.Error()
	case errors.As(err, &wrongType):
		return wrongType.Error()
	}
	return "annotate.values: true logs its text, which may quote attributes"
}
