// Package kubernetes decodes the manifests of deploy/kubernetes strictly into Kubernetes' own types.
// Its tests check users, storage of spans, and how long a pod may take to end.
package kubernetes

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/confmap"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor"
)

const manifests = "../../../deploy/kubernetes"

// flush is how long the processor's shutdown tries to release what it holds, see docs/operations.md.
const flush = 30 * time.Second

// built are the objects that kustomize makes, decoded strictly: a key that the API does not know is an error.
func built(t *testing.T) []runtime.Object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), manifests)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, autoscalingv2.AddToScheme, policyv1.AddToScheme, networkingv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for _, r := range resources.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decoder.Decode(text, nil, nil)
		if err != nil {
			t.Fatalf("%s: %v", r.CurId(), err)
		}
		objects = append(objects, object)
	}
	return objects
}

// only is the one object of a type with a name that begins so.
func only[T metav1.Object](t *testing.T, objects []runtime.Object, name string) T {
	t.Helper()
	var found []T
	for _, o := range objects {
		if o, ok := o.(T); ok && strings.HasPrefix(o.GetName(), name) {
			found = append(found, o)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d objects %T with the name %q", len(found), *new(T), name)
	}
	return found[0]
}

func operators(t *testing.T) *openTelemetryCollector {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(manifests, "operator", "scorer.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	o := new(openTelemetryCollector)
	if err := yaml.UnmarshalStrict(text, o); err != nil {
		t.Fatal(err)
	}
	return o
}

// A scorer's configuration as the operator has it is that of the pod. Our loader takes the processor's section.
func TestTheConfigurationIsLoaded(t *testing.T) {
	config := scorersConfig(t)
	if other := operators(t).Spec.Config; !reflect.DeepEqual(config, other) {
		t.Errorf("the operator's configuration differs from scorer/collector.yaml:\n%v\n%v", other, config)
	}
	scoring(t, config)
}

func scorersConfig(t *testing.T) (config map[string]any) {
	t.Helper()
	data := only[*corev1.ConfigMap](t, built(t), "scorer").Data
	if err := yaml.UnmarshalStrict([]byte(data["collector.yaml"]), &config); err != nil {
		t.Fatal(err)
	}
	return config
}

// scoring is the processor's section, as our loader reads it.
func scoring(t *testing.T, config map[string]any) *toolcorrectness.Config {
	t.Helper()
	section, err := confmap.NewFromStringMap(config).Sub("processors::tool_correctness")
	if err != nil {
		t.Fatal(err)
	}
	loaded := toolcorrectness.NewFactory().CreateDefaultConfig().(*toolcorrectness.Config)
	if err := section.Unmarshal(loaded); err != nil {
		t.Fatal(err)
	}
	if err := loaded.Validate(); err != nil {
		t.Fatal(err)
	}
	return loaded
}

// No container runs as root or can become root, and none writes anywhere but to its disk.
func TestNobodyIsRoot(t *testing.T) {
	objects, operator := built(t), operators(t)
	pods := map[string]corev1.PodSpec{
		"scorer":   only[*appsv1.StatefulSet](t, objects, "scorer").Spec.Template.Spec,
		"balancer": only[*appsv1.Deployment](t, objects, "balancer").Spec.Template.Spec,
		"operator": {SecurityContext: operator.Spec.PodSecurityContext, Containers: []corev1.Container{{SecurityContext: operator.Spec.SecurityContext}}},
	}
	for name, pod := range pods {
		if s := pod.SecurityContext; s == nil || !*s.RunAsNonRoot || *s.RunAsUser != 10001 || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
			t.Errorf("%s: the pod's security context is %v", name, s)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if s == nil || !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
				t.Errorf("%s: the container's security context is %v", name, s)
			}
		}
		if name != "operator" && *pod.AutomountServiceAccountToken {
			t.Errorf("%s has a token for the API, which it does not need", name)
		}
	}
}

// A pod has time for everything that its end takes: the balancers' look-up, the wait of its last runs, and the flush.
func TestAPodHasTimeToEnd(t *testing.T) {
	set := only[*appsv1.StatefulSet](t, built(t), "scorer").Spec.Template.Spec
	operator := operators(t).Spec
	wait := scoring(t, scorersConfig(t)).Run.Wait
	for name, pod := range map[string]struct {
		grace     *int64
		lifecycle *corev1.Lifecycle
	}{"scorer": {set.TerminationGracePeriodSeconds, set.Containers[0].Lifecycle}, "operator": {operator.TerminationGracePeriodSeconds, operator.Lifecycle}} {
		stop := time.Duration(pod.lifecycle.PreStop.Sleep.Seconds) * time.Second
		if stop <= wait {
			t.Errorf("%s: preStop of %s must be longer than run.wait of %s, so that runs whose spans are there close in time", name, stop, wait)
		}
		if grace := time.Duration(*pod.grace) * time.Second; grace <= stop+wait+flush {
			t.Errorf("%s: the grace of %s must be longer than preStop %s, run.wait %s and the flush %s together", name, grace, stop, wait, flush)
		}
	}
}

// Open runs and the exporter's queue are on the disk that belongs to the pod, and the disk stays.
func TestTheStorageIsOnTheDisk(t *testing.T) {
	set := only[*appsv1.StatefulSet](t, built(t), "scorer").Spec
	config := confmap.NewFromStringMap(scorersConfig(t))
	directory := config.Get("extensions::file_storage::directory")
	mounted := func(mounts []corev1.VolumeMount, claims []corev1.PersistentVolumeClaim) bool {
		return slices.ContainsFunc(mounts, func(m corev1.VolumeMount) bool {
			return m.MountPath == directory && !m.ReadOnly &&
				slices.ContainsFunc(claims, func(c corev1.PersistentVolumeClaim) bool { return c.Name == m.Name })
		})
	}
	operator := operators(t).Spec
	if !mounted(set.Template.Spec.Containers[0].VolumeMounts, set.VolumeClaimTemplates) || !mounted(operator.VolumeMounts, operator.VolumeClaimTemplates) {
		t.Errorf("no claimed volume is mounted at %v", directory)
	}
	for _, key := range []string{"processors::tool_correctness::storage", "exporters::otlp_grpc::sending_queue::storage"} {
		if config.Get(key) != "file_storage" {
			t.Errorf("%s = %v, want file_storage", key, config.Get(key))
		}
	}
	retain := appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{WhenDeleted: "Retain", WhenScaled: "Retain"}
	if *set.PersistentVolumeClaimRetentionPolicy != retain || *operator.PersistentVolumeClaimRetentionPolicy != retain {
		t.Error("a disk goes with its pod, and the spans on it")
	}
}

// What selects pods selects the pods that are meant, and every port is one that the collector opens.
func TestSelectorsAndPortsMeet(t *testing.T) {
	objects := built(t)
	set := only[*appsv1.StatefulSet](t, objects, "scorer").Spec
	balancer := only[*appsv1.Deployment](t, objects, "balancer").Spec
	service := only[*corev1.Service](t, objects, "scorer")
	if service.Spec.ClusterIP != corev1.ClusterIPNone || set.ServiceName != service.Name {
		t.Error("the scorers' service must be headless, and the one that the StatefulSet names")
	}
	scorers, balancers := labels.Set(set.Template.Labels), labels.Set(balancer.Template.Labels)
	for name, selector := range map[string]*metav1.LabelSelector{
		"StatefulSet":         set.Selector,
		"Service":             {MatchLabels: service.Spec.Selector},
		"PodDisruptionBudget": only[*policyv1.PodDisruptionBudget](t, objects, "scorer").Spec.Selector,
		"NetworkPolicy":       &only[*networkingv1.NetworkPolicy](t, objects, "scorer").Spec.PodSelector,
	} {
		s, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || !s.Matches(scorers) || s.Matches(balancers) {
			t.Errorf("%s selects %v: %v", name, s, err)
		}
	}
	policy := only[*networkingv1.NetworkPolicy](t, objects, "scorer").Spec
	from, err := metav1.LabelSelectorAsSelector(policy.Ingress[0].From[0].PodSelector)
	if err != nil || !from.Matches(balancers) || from.Matches(scorers) {
		t.Errorf("spans come from %v: %v", from, err)
	}
	ports := map[string]int32{}
	for _, p := range set.Template.Spec.Containers[0].Ports {
		ports[p.Name] = p.ContainerPort
	}
	config := confmap.NewFromStringMap(scorersConfig(t))
	for name, endpoint := range map[string]any{
		"otlp":   config.Get("receivers::otlp::protocols::grpc::endpoint"),
		"health": config.Get("extensions::health_check::endpoint"),
	} {
		if want := map[string]string{"otlp": ":4317", "health": ":13133"}[name]; !strings.HasSuffix(endpoint.(string), want) || want != ":"+strconv.Itoa(int(ports[name])) {
			t.Errorf("port %s is %d, and the collector listens at %v", name, ports[name], endpoint)
		}
	}
	for _, rule := range policy.Ingress {
		if _, ok := ports[rule.Ports[0].Port.StrVal]; !ok {
			t.Errorf("the policy's port %s is none of the pod's", rule.Ports[0].Port)
		}
	}
}

// The autoscaler looks at metrics that the processor has, and at most at the share of a limit that leaves time for a new pod.
func TestTheAutoscalerKnowsTheMetrics(t *testing.T) {
	documented, err := os.ReadFile("../../../documentation.md")
	if err != nil {
		t.Fatal(err)
	}
	scaler := only[*autoscalingv2.HorizontalPodAutoscaler](t, built(t), "scorer").Spec
	if scaler.ScaleTargetRef != (autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "scorer"}) {
		t.Errorf("it scales %v", scaler.ScaleTargetRef)
	}
	limits := scoring(t, scorersConfig(t)).Limits
	limit := map[string]int64{"retained_bytes": int64(limits.MemoryMiB) << 20, "open_runs": int64(limits.OpenRuns)}
	var pods []autoscalingv2.MetricSpec
	for _, m := range scaler.Metrics {
		if m.Pods == nil {
			continue
		}
		pods = append(pods, m)
		name := strings.TrimPrefix(m.Pods.Metric.Name, "otelcol_processor_tool_correctness_")
		if !strings.Contains(string(documented), "otelcol_processor_tool_correctness_"+name) || limit[name] == 0 {
			t.Errorf("the processor has no metric %s with a limit", m.Pods.Metric.Name)
			continue
		}
		if share := float64(m.Pods.Target.AverageValue.Value()) / float64(limit[name]); share < 0.5 || share > 0.75 {
			t.Errorf("%s scales at %.2f of the limit %d", name, share, limit[name])
		}
	}
	if len(pods) != 2 {
		t.Errorf("%d metrics of pods", len(pods))
	}
	operator := operators(t).Spec.Autoscaler
	if !reflect.DeepEqual(operator.Metrics, pods) || !reflect.DeepEqual(operator.Behavior, scaler.Behavior) {
		t.Error("the operator's autoscaler differs")
	}
}
