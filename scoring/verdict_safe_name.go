package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/safename"

// SafeName returns a name that can be shown anywhere: valid UTF-8 in one line, of at most limit bytes.
//
//   - Characters that cannot be seen, or that rearrange what can, are escaped as in a Go string: "\n", "\u202e", "\xff".
//   - A name that does not fit ends with an ellipsis. No character and no escape is cut in two.
//   - A name of printable ASCII that fits is returned as it is. A backslash is not escaped.
//
// The work is bounded by limit, however long the name is. A limit below 8 counts as 8.
func SafeName(name string, limit int) string { return safename.Of(name, limit) }

// clean makes a name fit for a sentence.
func clean(name string) string { return SafeName(name, maxName) }

// quoted makes a name fit for a sentence, and shows where it begins and ends.
func quoted(name string) string { return `"` + clean(name) + `"` }
