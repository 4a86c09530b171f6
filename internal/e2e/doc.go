// Package e2e tests the collector of `make build` as a process over the network, between an instrumented agent's OTLP
// exporters and a backend's OTLP receiver.
//
//	agent_test.go ──OTLP──> collector of ./dist ──OTLP──> backend_test.go
//	                        collector_test.go
//
// It is a module of its own, because its dependencies are only for tests. It fails, and does not skip, if there is no built
// collector. Start with e2e_test.go. Other tests need a program besides Go, and have a target of their own in the Makefile:
// see the folders below.
//
//	big         the size of a large installation     hostile     attacks on another tenant's verdicts
//	chaos       kills and outages                    kubernetes  the manifests of deploy/kubernetes
//	contrib     the collector's other components     page        the HTML report in a browser
//	formats     JUnit by another validator           references  DeepEval and others, run again
package e2e
