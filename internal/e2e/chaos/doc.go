// Package chaos shows that the collector which `make build` built loses no span that it acknowledged. Its tests kill, stop, fill
// and reload the collector under load, on loopback, and count: TestCollector plays one collector, and TestFleet a balancer with
// three scorers behind it, of which one is killed, added or drained. Both end with a table of all cases.
//
//	go test -tags chaos -v ./chaos [-run Collector/NAME] [-short] [-collector FILE] [-seed N]
//
// # Words
//
//   - A case has a load, a disturbance and a promise. The code calls it a scenario, because case is a keyword.
//   - A span is acknowledged if the Export call with it returned neither an error nor a partial success.
//   - A job is what one sender sends in order: runs and ordinary traces, cut into requests. A load has many jobs.
//   - The ledger is what the senders know: which spans were acknowledged, and when.
//   - The sink is the backend behind the collectors. It counts the spans that arrive, and keeps their verdicts.
//   - A stage is a case while it is played: sink, collectors, senders and ledger.
//   - A fault is a time in which a collector was away.
//   - A tally compares ledger and sink. It puts each span and each verdict into one class: right, lost, wrong and so on.
//   - A promise says which classes must be empty, and which must not be.
//
// # Files
//
//	cases_test.go   the cases, their promises and the reasons   plays_test.go   the disturbances
//	stage_test.go   a case while it is played; collectors       config_test.go  their configurations
//	load_test.go    jobs, and the verdicts that they must get   sender_test.go  senders and ledger
//	sink_test.go    the sink                                    tally_test.go   the tally, and what breaks a promise
//	count_test.go   tests of the tally
package chaos
