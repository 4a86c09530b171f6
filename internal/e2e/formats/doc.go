// Package formats checks what the command writes by the means of others: JUnit by xmllint and Jenkins' schema.
//
// No maintained library in Go validates by an XML schema without the headers of libxml2. So the test runs xmllint. `make e2e WITH=report`
// runs it: it has the build tag browser, as the test of the page, because both need a program.
package formats
