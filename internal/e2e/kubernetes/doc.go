// Package kubernetes has no code. Its tests decode the manifests of deploy/kubernetes strictly into Kubernetes' own types, and
// check what they promise: who runs, where spans are stored, how long a pod may take to end.
package kubernetes
