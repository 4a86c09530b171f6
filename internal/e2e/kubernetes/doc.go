// Package kubernetes has no code. Its tests decode the manifests of deploy/kubernetes strictly into Kubernetes' own types.
// They check users, storage of spans, and how long a pod may take to end.
package kubernetes
