// Package mask recognizes the placeholders that instrumentations and applications write in place of content.
//
// In: the text of a tool call's arguments or output. Out: whether it hides the content. The dialects then treat the payload as
// not captured, so a run that needs it gets no score instead of a wrong one.
//
// There is no common placeholder, so a mask is known by its form:
//
//	text                   [Is]
//	[REDACTED], <masked>   yes: brackets around a word for "hidden"
//	***, ####              yes: only characters that hide others
//	["redacted"], hidden   no: a list, and a plain word
//
// A mask of another form shows only if it is both the arguments and the output of a call. [MayBe] reports whether a text is
// short enough for that, and is neither an object nor a list. A text of more than 64 bytes is always content.
//
// mask.go is the whole package.
package mask
