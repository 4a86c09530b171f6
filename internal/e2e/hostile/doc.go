// Package hostile shows what harmful traffic does to an honest sender beside it. Its tests fail if a bound of docs/security.md is
// broken.
//
//	go test -tags hostile -v ./hostile [-run Attacks/NAME] [-short] [-seed N]
//
// The attacker sends up to 10 MB. The victim is an honest sender, whose runs have a known score. A bound is on what the attacker
// may cost the victim: how long requests take, how late verdicts are, how many are lost or wrong. Another is on memory. Each attack
// is measured in a child process whose memory is limited, and again if a bound is broken by little, because the machine may have
// been busy:
//
//	attacks_test.go  the list, to which an attack is added: "names-many" sends five requests
//	plan_test.go     a plan has the requests of an attack, and when each is sent; it is made before anything is measured
//	victim_test.go   the victim sends its runs, first alone, then beside the attacker, and counts what came out
//	measure_test.go  the child sends the plan, waits for the victim's verdicts, and prints a figure as JSON: a row of the table
//	machine_test.go  limits and watches the memory of the child; knows how long its threads waited for a core
//	bounds_test.go   compares the figure with the bounds
//
// Attacks on a verdict need no measurement: verdicts_test.go sends one run of the victim with and without the attacker's spans, in
// every order of the requests, while the clock stands still, and a law compares the verdicts.
package hostile
