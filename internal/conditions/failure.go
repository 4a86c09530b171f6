package conditions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"go.opentelemetry.io/collector/pdata/pcommon"
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

// quoted is a text in a condition.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// TypesRead lists the types of the attributes that a text names.
func TypesRead(text string, at Place) (all []string) {
	for _, literal := range quoted.FindAllString(text, -1) {
		key, err := strconv.Unquote(literal)
		if err != nil {
			continue
		}
		for _, in := range []struct {
			path       string
			attributes pcommon.Map
		}{
			{"attributes", at.Span.Attributes()},
			{"scope.attributes", at.Scope.Scope().Attributes()},
			{"resource.attributes", at.Resource.Resource().Attributes()},
		} {
			if v, ok := in.attributes.Get(key); ok {
				if is := fmt.Sprintf("%s[%q] is %s", in.path, key, v.Type()); !slices.Contains(all, is) {
					all = append(all, is)
				}
			}
		}
	}
	return all
}
