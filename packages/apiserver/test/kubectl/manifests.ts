// The files that a person has at hand.
export const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gauges.meters.example.test
spec:
  group: meters.example.test
  scope: Namespaced
  names: {kind: Gauge, listKind: GaugeList, plural: gauges, singular: gauge, shortNames: [gg]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Reading, type: integer, jsonPath: .spec.reading}
    - {name: Unit, type: string, jsonPath: .spec.unit, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [reading]
            properties:
              reading: {type: integer, minimum: 0, description: What it shows.}
              unit: {type: string, default: bar}
              replicas: {type: integer}
          status:
            type: object
            properties:
              replicas: {type: integer}
`;

export const gauge = (reading: number): string => `apiVersion: meters.example.test/v1
kind: Gauge
metadata: {name: one}
spec: {reading: ${reading}}
`;

export const deployment = (name: string, replicas: number): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: {app: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
      - {name: main, image: "example.test/${name}:1"}
`;
