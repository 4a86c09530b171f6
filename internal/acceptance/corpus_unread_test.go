package acceptance

// unread lists recordings in which the processor does not find the true calls yet. A row that is no longer true fails the
// test.
var unread = map[string]bool{}
