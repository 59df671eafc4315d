// Objects of every kind that has a controller: those that become Ready, with a secret in every place that may have one, and one of each
// that cannot work.

/** What may be shown nowhere: each place has its own. */
export const canary = (place: string): string => `Zk3vQ9pLx7Rt2WmB5nYc8Dh-${place}`;
export const canaries = /Zk3vQ9pLx7Rt2WmB5nYc8Dh(-\w+)?/g;

const secrets: Readonly<Record<string, readonly string[]>> = {
  "box-credentials": ["username", "password", "token"],
  "box-tls": ["tls.crt", "tls.key", "ca.crt"],
  "image-login": ["username", "password"],
  "first-boot": ["userdata"],
  administrator: ["password"],
};

/** Where an image is, with an account and a signed query. */
export const url = `https://ann:${canary("account")}@images.example/tiny.qcow2?signature=${canary("signed")}`;

export const everything = `
${Object.entries(secrets)
  .map(
    ([name, keys]) => `apiVersion: v1
kind: Secret
metadata: { name: ${name} }
stringData: { ${keys.map((key) => `${key}: ${canary(key.replace(".", ""))}`).join(", ")} }
`,
  )
  .join("---\n")}---
apiVersion: infra.virtrigaud.io/v1beta1
kind: Provider
metadata: { name: box, annotations: { virtrigaud.io/adopt-vms: "true" } }
spec:
  type: qemu
  endpoint: tcp://box.example:9443
  credentialSecretRef: { name: box-credentials }
  runtime: { image: "example/qemu-provider:dev", service: { tls: { secretRef: { name: box-tls } } } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMClass
metadata: { name: small }
spec: { cpu: 1, memory: 512Mi, diskDefaults: { size: 2Gi } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMImage
metadata: { name: tiny }
spec:
  source: { http: { url: "${url}", authentication: { basicAuth: { secretRef: { name: image-login } } } } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMNetworkAttachment
metadata: { name: nat }
spec: { network: { type: nat }, ipAllocation: { type: DHCP } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMPlacementPolicy
metadata: { name: spread }
spec: { soft: { hosts: [h1, h2] } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VirtualMachine
metadata: { name: web }
spec:
  providerRef: { name: box }
  classRef: { name: small }
  imageRef: { name: tiny }
  placementRef: { name: spread }
  powerState: "On"
  networks: [{ name: eth0, networkRef: { name: nat } }]
  userData: { cloudInit: { inline: "#cloud-config\\npassword: ${canary("inline")}\\n" } }
  metaData: { cloudInit: { inline: "instance-token: ${canary("meta")}\\n" } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VirtualMachine
metadata: { name: db }
spec:
  providerRef: { name: box }
  classRef: { name: small }
  imageRef: { name: tiny }
  userData: { cloudInit: { secretRef: { name: first-boot } } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMSnapshot
metadata: { name: web-s1 }
spec: { vmRef: { name: web } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMClone
metadata: { name: web-copy }
spec:
  source: { vmRef: { name: web } }
  target: { name: web2 }
  options: { powerOn: true, retryPolicy: { retryDelay: 10s } }
  customization:
    hostname: web2
    sysprep: { enabled: true, adminPassword: { secretRef: { name: administrator } } }
---
apiVersion: infra.virtrigaud.io/v1beta1
kind: VMSet
metadata: { name: pool }
spec:
  replicas: 2
  selector: { matchLabels: { app: pool } }
  template:
    metadata: { labels: { app: pool } }
    spec: { providerRef: { name: box }, classRef: { name: small }, imageRef: { name: tiny } }
`;

const bad = (kind: string, spec: string): string => `apiVersion: infra.virtrigaud.io/v1beta1
kind: ${kind}
metadata: { name: bad }
spec: ${spec}
`;

const refs = "providerRef: { name: box }, classRef: { name: small }";

/** The server takes each of them; what is wrong is for the controllers to find. */
export const hopeless = [
  bad(
    "Provider",
    '{ type: qemu, endpoint: "tcp://b:1", credentialSecretRef: { name: box-credentials }, runtime: { image: i } }',
  ),
  bad("VMClass", "{ cpu: 1, memory: 512Mi, securityProfile: { secureBoot: true } }"),
  bad("VMImage", '{ source: { http: { url: "https://images.example/x", checksum: xyz } } }'),
  bad("VMNetworkAttachment", "{ network: { type: nat }, ipAllocation: { type: Static } }"),
  bad("VMPlacementPolicy", "{ hard: { hosts: [h1], excludedHosts: [h1] } }"),
  bad("VirtualMachine", `{ ${refs} }`),
  bad("VMSnapshot", '{ vmRef: { name: web }, schedule: { enabled: true, cronSpec: "61 * * * *" } }'),
  bad("VMClone", "{ source: { vmRef: { name: web } }, target: { name: web3 }, options: { type: InstantClone } }"),
  bad("VMSet", `{ selector: {}, template: { metadata: { labels: { app: bad } }, spec: { ${refs} } } }`),
].join("---\n");
