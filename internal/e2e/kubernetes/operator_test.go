package kubernetes

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An openTelemetryCollector is what we write of the operator's resource of that name, opentelemetry.io/v1beta1. The operator's
// module cannot be had from the module proxy, so its fields are named here, with Kubernetes' types in them. The manifest was
// checked against the operator's own schema by hand.
type openTelemetryCollector struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Mode                                 string                                                  `json:"mode"`
		Image                                string                                                  `json:"image"`
		ManagementState                      string                                                  `json:"managementState"`
		UpgradeStrategy                      string                                                  `json:"upgradeStrategy"`
		PodManagementPolicy                  appsv1.PodManagementPolicyType                          `json:"podManagementPolicy"`
		TerminationGracePeriodSeconds        *int64                                                  `json:"terminationGracePeriodSeconds"`
		PodSecurityContext                   *corev1.PodSecurityContext                              `json:"podSecurityContext"`
		SecurityContext                      *corev1.SecurityContext                                 `json:"securityContext"`
		Env                                  []corev1.EnvVar                                         `json:"env"`
		Resources                            corev1.ResourceRequirements                             `json:"resources"`
		StartupProbe                         *timing                                                 `json:"startupProbe"`
		ReadinessProbe                       *timing                                                 `json:"readinessProbe"`
		LivenessProbe                        *timing                                                 `json:"livenessProbe"`
		Lifecycle                            *corev1.Lifecycle                                       `json:"lifecycle"`
		PodDisruptionBudget                  *policyv1.PodDisruptionBudgetSpec                       `json:"podDisruptionBudget"`
		NetworkPolicy                        struct{ Enabled *bool }                                 `json:"networkPolicy"`
		Autoscaler                           *operatorAutoscaler                                     `json:"autoscaler"`
		PersistentVolumeClaimRetentionPolicy *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy `json:"persistentVolumeClaimRetentionPolicy"`
		VolumeClaimTemplates                 []corev1.PersistentVolumeClaim                          `json:"volumeClaimTemplates"`
		VolumeMounts                         []corev1.VolumeMount                                    `json:"volumeMounts"`
		Config                               map[string]any                                          `json:"config"`
	} `json:"spec"`
}

// timing is what a probe may say; the operator finds path and port itself.
type timing struct {
	PeriodSeconds    int32 `json:"periodSeconds"`
	FailureThreshold int32 `json:"failureThreshold"`
}

type operatorAutoscaler struct {
	MinReplicas          *int32                                         `json:"minReplicas"`
	MaxReplicas          *int32                                         `json:"maxReplicas"`
	Metrics              []autoscalingv2.MetricSpec                     `json:"metrics"`
	TargetCPUUtilization *int32                                         `json:"targetCPUUtilization"`
	Behavior             *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior"`
}
