// Package e2e tests the collector that `make build` built, as a process, over the network: real OTLP exporters of an
// instrumented agent in, a backend's OTLP receiver out. It fails, and does not skip, where there is no built collector.
package e2e
