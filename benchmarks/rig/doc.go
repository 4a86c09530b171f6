// Package rig measures what a processor costs. It runs traffic through one processor at a time, in this process, without a
// collector or a network.
//
// # Words
//
//   - A [Contender] is what stands between the receiver and the sink: our processor, another one of the Collector, or nothing.
//     It has a name and a configuration.
//   - A load, of package workload, is requests as bytes, with the score that each run must get.
//   - A pass sends one load through one contender.
//   - The sink is where spans come out. It counts them and compares the scores, with the same work for every contender. So no
//     contender is fast because it loses spans.
//
// # What is measured
//
//	[Run]       the CPU time and the allocations of a pass, with the decoding of its requests: a [Cost]
//	[RunAlone]  the same without the decoding
//	[Hold]      the memory that is alive while spans wait: a [Holding]
//
// CPU time is that of all threads, because contenders work in goroutines and wait for timers. The first of [Contenders] does
// nothing, so the cost of a processor is its figure less that one:
//
//	floor, err := rig.Run(rig.Floor, load, wait)
//	ours, err := rig.Run(rig.Ours, load, wait)
//	fmt.Println(ours.CPU - floor.CPU)
//
// # Files
//
//	contender.go  the contenders
//	pass.go       Run, RunAlone and Hold
//	sink.go       the sink
//	cpu.go        the CPU time of the process
//	storage.go    the storage of a contender
package rig
