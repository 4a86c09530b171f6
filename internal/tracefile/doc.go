// Package tracefile reads recorded traces of any writer. The content of a file says what it is, never its name:
//
//	OTLP/JSON       a request a line, as the file exporter writes it, or documents one after the other, however laid out; also with ids
//	                in base64, as protobuf's own JSON has them
//	OTLP protobuf   one request, or several, each behind its length, as the file exporter writes them
//	Jaeger          the JSON of its API and its user interface ("data", or a trace by itself), or of version 3 of its API ("result")
//	Tempo           the JSON of its API ("batches", or "trace")
//
// each of it also compressed by gzip or zstd, as a whole or message by message.
//
// Only one document is in memory at a time. A document that cannot be read is a fault, which has its line, and reading continues
// behind it. A fault contains nothing of the file, because that is private.
//
// # How to add a format
//
// A JSON format is a top-level key in kinds (read.go) and a function that makes OTLP of a document.
package tracefile
