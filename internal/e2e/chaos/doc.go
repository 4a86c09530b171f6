// Command chaos shows that the collector which `make build` built loses no span that it acknowledged. It kills, stops, fills and
// reloads the collector under load, on loopback, and counts.
//
//	go run ./chaos [-fleet] [-short] [-case NAME] [-collector FILE] [-seed N]
//
// The exit code is 1 if a case breaks its promise. With -fleet there is a balancer with three scorers behind it, of which one is
// killed, added or drained.
//
// # Words
//
//   - A case has a load, a disturbance and a promise. The code calls it a scenario, because case is a keyword.
//   - A span is acknowledged if the Export call with it returned neither an error nor a partial success.
//   - A job is what one sender sends in order: runs and ordinary traces, cut into requests. A load has many jobs.
//   - The ledger is what the senders know: which spans were acknowledged, and when.
//   - The sink is the backend behind the collector. It counts the spans that arrive, and keeps their verdicts.
//   - A stage is a case while it is played: sink, collector, senders and ledger.
//   - A fault is a time in which the collector was away.
//   - A tally compares ledger and sink. It puts each span and each verdict into one class: right, lost, wrong and so on.
//   - A promise says which classes must be empty, and which must not be.
//   - A fleet is a stage with several collectors. The front spreads spans, and each scorer has the processor and a sink.
//
// # How one case is played
//
//	stage.go    starts sink and collector, and then the senders
//	plays.go    kills the collector three times and starts it again; stage.go notes three faults
//	stage.go    ends the load and waits until nothing more arrives
//	tally.go    counts: 9,000 spans acknowledged, 12 lost, all of them held when the collector was killed
//	report.go   compares the tally with the promise "what was held may be lost, and nothing else"
//
// # Files
//
//	main.go         the command line
//	cases.go        the cases with one collector, their promises and the reasons
//	plays.go        the disturbances
//	stage.go        a case while it is played
//	collector.go    the collector as a process
//	config.go       its configuration
//	load.go         jobs, and the verdict that each of their anchors must get
//	sender.go       the senders
//	ledger.go       the ledger
//	sink.go         the sink
//	tally.go        the tally
//	report.go       promises, and the table of results
//	fleet.go        the cases with several collectors: a balancer and scorers behind it
package main
