// Package formats checks what the command writes by the means of others: JUnit by xmllint and Jenkins' schema.
//
// No maintained library in Go validates by an XML schema without the headers of libxml2. So the test runs xmllint, and is skipped
// where that is not installed.
package formats
