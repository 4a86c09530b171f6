// Package words looks for JSON strings in texts, so that a text without any of them need not be decoded.
//
// In: a list of names, made once with [Of], and a text. Out: whether the text has one of them in quotes ([List.In]).
//
// Most texts have none of the words, so the search must be fast. It looks for the rarest byte of the words. In 2 KiB of messages
// one word takes 20 ns so instead of 560 (BenchmarkWords).
//
// [Member] finds a member of an object that may be too deep to be decoded. A text may lack its words because it was cut off:
// [IsCut] and [IsDocument] tell the texts of programs from prose by their brackets. [Roles] finds the roles of messages.
package words
