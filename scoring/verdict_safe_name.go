package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/safename"

// SafeName returns a name that is safe to show anywhere: one line of valid UTF-8, of at most limit bytes.
//
//   - Characters that are invisible or rearrange others are escaped as in a Go string: "\n", "\u202e", "\xff".
//   - A name that does not fit ends with an ellipsis. No character and no escape is cut in two.
//   - A name of printable ASCII that fits is returned as it is. A backslash is not escaped.
//
// The work is in proportion to limit, however long the name is. A limit below 8 counts as 8.
func SafeName(name string, limit int) string { return safename.Of(name, limit) }

// clean returns a name that is safe in a sentence.
func clean(name string) string { return SafeName(name, maxName) }

// quoted returns a name that is safe in a sentence, in quotes.
func quoted(name string) string { return `"` + clean(name) + `"` }
