// Command hostile shows what harmful traffic does to an honest sender beside it. It fails if a bound of docs/security.md is
// broken.
//
//	go run ./hostile [-short] [-attack NAME] [-seed N]
//
// The exit code is 1 if a bound is broken. The command measures again if a bound is broken by little, because the machine may
// have been busy.
//
// The attacker sends up to 10 MB. The victim is an honest sender, whose runs have a known score. A bound is on what the attacker
// may cost the victim: how long requests take, how late verdicts are, how many are lost or wrong. Another is on memory. Each attack
// is measured in a child process whose memory is limited:
//
//	attacks.go  the list: "names-many" sends five requests
//	plan.go     a plan has the requests of an attack, and when each is sent; it is made before anything is measured
//	victim.go   the victim sends its runs, first alone, then beside the attacker; a ledger counts what came out
//	child.go    sends the plan, waits for the victim's verdicts, and prints a figure as JSON
//	memory.go   limits and watches the memory of the child; cores.go knows how long its threads waited for a core
//	bounds.go   compares the figure with the bounds
//	main.go     a row of the table: "names-many ... kept"
//
// To add an attack, add it to the list in attacks.go.
//
// Attacks on a verdict need no measurement, and are tests: verdicts_test.go sends one run of the victim with and without the
// attacker's spans, in every order of the requests, while the clock stands still, and a law compares the verdicts.
package main
