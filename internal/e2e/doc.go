// Package e2e tests the collector of `make build` as a process over the network, between an instrumented agent's OTLP
// exporters and a backend's OTLP receiver.
//
//	agent_test.go ──OTLP──> collector of ./dist ──OTLP──> backend_test.go
//	                        collector_test.go
//
// It is a module of its own, because its dependencies are only for tests. It fails, and does not skip, if there is no built
// collector. Start with e2e_test.go. Tests that need a program besides Go run by
// `make e2e WITH=name`: see internal/tools/e2e.sh.
//
//	chaos       kills and outages                    page        the HTML report in a browser
//	contrib     the collector's other components     references  DeepEval and others, run again
//	formats     JUnit by another validator           spans       for chaos and hostile: spans and verdicts
//	hostile     attacks beside an honest sender      yardsticks  the verdicts of published benchmarks
//	kubernetes  the manifests of deploy/kubernetes
package e2e
