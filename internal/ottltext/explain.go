package ottltext

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/callcondition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottlfunctions"
)

// What OTTL says of a function or a path that does not exist.
var (
	undefinedFunction = regexp.MustCompile(`undefined function "([^"]+)"`)
	unknownPath       = regexp.MustCompile(`segment "[^"]*" from path "([^"[]+)[^"]*" is not a valid path`)
	// Newer releases of OTTL name the places of more errors.
	saysPlace = regexp.MustCompile(`^\d+:\d+: `)
)

// spanPaths are the paths of the span context that conditions on runs are likely to mean.
var spanPaths = []string{
	"attributes", "name", "kind", "kind.string", "status", "status.code", "status.message", "trace_id.string", "span_id.string",
	"parent_span_id.string", "trace_state", "start_time", "end_time", "start_time_unix_nano", "end_time_unix_nano", "events", "links",
	"span.attributes", "span.name", "span.kind", "span.status.code", "span.status.message", "span.start_time", "span.end_time",
	"resource.attributes", "scope.attributes", "scope.name", "scope.version",
	"instrumentation_scope.attributes", "instrumentation_scope.name", "instrumentation_scope.version",
}

// explain is an error of OTTL, with its place in the text and the name that was probably meant. OTTL itself may say the
// place of a wrong syntax only.
func explain(text string, err error) string {
	var path *callcondition.PathError
	if errors.As(err, &path) { // it says its place
		if path.Unknown {
			return path.Error() + configcheck.Suggestion(path.Path, callcondition.Paths)
		}
		return path.Error()
	}
	name, known := "", ottlfunctions.FunctionNames()
	if found := undefinedFunction.FindStringSubmatch(err.Error()); found != nil {
		name = found[1]
	} else if found := unknownPath.FindStringSubmatch(err.Error()); found != nil {
		name, known = strings.TrimRight(found[1], "."), spanPaths
	}
	said := err.Error() + configcheck.Suggestion(name, known)
	if line, column := condition.Locate(text, name); line > 0 && !saysPlace.MatchString(said) {
		return fmt.Sprintf("%d:%d: %s", line, column, said)
	}
	return said
}
