// Command hostile shows what harmful traffic does to an honest sender beside it. It fails if a bound of docs/security.md is
// broken.
//
//	go run ./hostile [-short] [-attack NAME] [-out FILE] [-collector FILE] [-seed N]
//
// The exit code is 1 if a bound is broken. The command measures again if a bound is broken by little, because the machine may
// have been busy.
//
// # Words
//
// The attacker sends up to 10 MB. The victim is an honest sender, whose runs have a known score. A bound is on what the attacker
// may cost the victim: how long requests take, how late verdicts are, how many are lost or wrong. Another is on memory.
//
// There are three kinds of attack:
//
//   - An attack is traffic that costs time or memory. It is played on the processor alone, in a child process whose memory is limited.
//   - A play attacks a verdict. It sends one run of the victim with and without the attacker's spans, in every order of the
//     requests. The clock stands still. A law compares the verdicts.
//   - A raid is an attack on the collector that `make build` built. It needs a receiver, an exporter, a storage or a reload.
//
// A plan has the requests of an attack or raid, and when each is sent. It is made before anything is measured.
//
// A figure is what the child measured, an outcome is what a play showed, and a siege is what a raid did. A ledger counts the
// victim's spans and verdicts: those that were sent, and those that came out.
//
// # How one attack is measured
//
//	main.go     starts the child for "names-long"
//	plan.go     the plan: three requests, each with names of 1 MB
//	victim.go   the victim sends its runs, first alone, then beside the attacker
//	child.go    sends the plan, waits for the victim's verdicts, and prints the figure as JSON
//	bounds.go   compares the figure with the bounds
//	report.go   a row of the table: "names-long ... kept"
//
// # Files
//
//	main.go           the command line; which attacks are played, and how often
//	attacks.go        the list of attacks
//	attacks_large.go  attacks that make the processor keep more than they send
//	attacks_slow.go   attacks that repeat work under a lock
//	attacks_loop.go   attacks on the goroutine that closes runs
//	attacks_score.go  attacks on scoring
//	attacks_nested.go values of many entries, and resources that take turns
//	attacks_crowd.go  attacks with many agents, runs or calls, and with traces that no program writes
//	plan.go           plans, and the spans in them
//	config.go         the configuration that an attack needs
//	child.go          measures an attack in a child process
//	memory.go         limits and watches the memory of the child
//	cores.go          how long threads waited for a core
//	log.go            the beginning of what a process printed
//	victim.go         the victim and its ledger
//	play.go           plays a play; the laws
//	plays.go          the list of plays
//	plays_tables.go   plays that fill the tables which all senders share
//	plays_links.go    a play that fills the table of links
//	raid.go           plays a raid
//	raids.go          the list of raids
//	collector.go      the collector under attack
//	bounds.go         the bounds
//	report.go         tables
//
// To add an attack, add a row to one of the lists. -out FILE writes the table of what each attack does and reaches.
package main
