// Package e2e tests the collector of `make build` as a process over the network, between an instrumented agent's OTLP
// exporters and a backend's OTLP receiver. It fails, and does not skip, where there is no built collector.
package e2e
