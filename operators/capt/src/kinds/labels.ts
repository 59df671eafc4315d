// Labels of our CRDs: which contract of Cluster API they satisfy, and whose they are (2.1).

const contract = { "cluster.x-k8s.io/v1beta1": "v1beta1", "cluster.x-k8s.io/v1beta2": "v1beta1" } as const;

/** Ours alone: Cluster API never looks at it. */
export const infrastructure = { "cluster.x-k8s.io/provider": "infrastructure-capt" } as const;
export const infrastructureContract = { ...contract, ...infrastructure } as const;
export const controlPlaneContract = { ...contract, "cluster.x-k8s.io/provider": "control-plane-capt" } as const;
