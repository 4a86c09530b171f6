package toolcorrectnessprocessor

// unread are recordings that are not read well yet. One that is read well fails the test, so that it leaves the list.
var unread = map[string]bool{}
