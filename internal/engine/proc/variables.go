package proc

// KubernetesVariables returns the environment variables that change which objects pulumi-kubernetes deletes, skips,
// takes over or overwrites, in their order.
// Source: Configure in provider/pkg/provider/provider.go of github.com/pulumi/pulumi-kubernetes 4.30.
func KubernetesVariables() []string {
	return []string{
		"PULUMI_K8S_DELETE_UNREACHABLE", "PULUMI_K8S_ENABLE_PATCH_FORCE", "PULUMI_K8S_ENABLE_SERVER_SIDE_APPLY",
		"PULUMI_K8S_SKIP_UPDATE_UNREACHABLE", "PULUMI_K8S_UPSERT_EXISTING_OBJECTS",
	}
}
