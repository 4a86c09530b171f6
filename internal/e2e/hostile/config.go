package main

import (
	"strings"
	"time"
)

// wait is run.wait in every configuration: short, so that an attack is over soon.
const wait = time.Second

// memoryMiB is limits.memory_mib in every configuration, the default.
const memoryMiB = 256

// honest is what the victim's runs are expected to call.
const honest = `
  - name: victim
    when: attributes["tool_correctness.agent"] == "support"
    tools: [search_orders, {name: refund_order, arguments: {currency: EUR}}]`

// A setup is the processor's section, in pieces. What is empty keeps what is written here.
type setup struct {
	run, limits, native, before, more string
}

// section is the processor's section as a user writes it.
func (s setup) section() string {
	var b strings.Builder
	b.WriteString("run: {wait: " + wait.String() + s.run + "}\n")
	if s.limits != "" {
		b.WriteString("limits: {" + s.limits + "}\n")
	}
	b.WriteString(s.more)
	native := "order: in_order, arguments: subset, score: f1, threshold: 0.8"
	if s.native != "" {
		native = s.native
	}
	b.WriteString("metrics: {tool_correctness: {native: {" + native + "}}}\n")
	b.WriteString("expectations:" + s.before + honest + "\n")
	return b.String()
}
