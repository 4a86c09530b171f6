package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/collectorproc"
)

const (
	// partitions are enough for a fleet of four to get some each.
	partitions  = 12
	brokerBound = 90 * time.Second
)

// A broker is an Apache Kafka of one node in KRaft mode, without ZooKeeper.
type broker struct {
	endpoint string
	dir      string
	process  *exec.Cmd
	admin    *kadm.Client
}

// startBroker starts the broker whose jars are in a folder. It returns when the broker answers.
func startBroker(ctx context.Context, jars string) (b *broker, err error) {
	dir, err := os.MkdirTemp("", "kafka-")
	if err != nil {
		return nil, err
	}
	free, err := collectorproc.FreeEndpoints(ctx, 2)
	if err != nil {
		return nil, err
	}
	b = &broker{endpoint: free[0], dir: dir}
	properties := filepath.Join(dir, "server.properties")
	if err := os.WriteFile(properties, fmt.Appendf(nil, `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@%[2]s
listeners=PLAINTEXT://%[1]s,CONTROLLER://%[2]s
advertised.listeners=PLAINTEXT://%[1]s
controller.listener.names=CONTROLLER
log.dirs=%[3]s
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=200
group.min.session.timeout.ms=2000
auto.create.topics.enable=false
`, free[0], free[1], filepath.Join(dir, "data")), 0o600); err != nil {
		return nil, err
	}
	java := func(args ...string) *exec.Cmd {
		return exec.CommandContext(ctx, "java", append([]string{"-Xmx512m", "-cp", filepath.Join(jars, "*")}, args...)...)
	}
	if out, err := java("kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qg", "-c", properties).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kafka's storage: %w\n%s", err, out)
	}
	b.process = java("kafka.Kafka", properties)
	if err := b.process.Start(); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(b.endpoint))
	if err != nil {
		return nil, errors.Join(err, b.stop())
	}
	b.admin = kadm.NewClient(client)
	for end := time.Now().Add(brokerBound); time.Now().Before(end); {
		if _, err = b.admin.BrokerMetadata(ctx); err == nil {
			return b, nil
		}
		if err := sleep(ctx, 200*time.Millisecond); err != nil {
			break
		}
	}
	return nil, errors.Join(fmt.Errorf("kafka does not answer: %w", err), b.stop())
}

func (b *broker) stop() error {
	if b.admin != nil {
		b.admin.Close()
	}
	err := b.process.Process.Signal(syscall.SIGTERM)
	_ = b.process.Wait() // it says 143, which is the signal
	return errors.Join(err, os.RemoveAll(b.dir))
}

func (b *broker) createTopic(ctx context.Context, name string) error {
	_, err := b.admin.CreateTopic(ctx, partitions, 1, nil, name)
	return err
}

// assigned waits until that number of scorers shares all partitions. Without a broker it returns at once.
func (f *fleet) assigned(ctx context.Context, members int) error {
	if f.broker == nil {
		return nil
	}
	last := "nothing"
	for end := time.Now().Add(brokerBound); time.Now().Before(end); {
		groups, err := f.broker.admin.DescribeGroups(ctx, f.group())
		if err == nil {
			g := groups[f.group()]
			n := 0
			for _, p := range g.AssignedPartitions() {
				n += len(p)
			}
			last = fmt.Sprintf("%s, %d members, %d partitions", g.State, len(g.Members), n)
			if g.State == "Stable" && len(g.Members) == members && n == partitions {
				return nil
			}
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			break
		}
	}
	return fmt.Errorf("the group is not as it must be: %s", last)
}
