// What the process of a provider finds in its file system: credentials, certificates, room for scratch files, and the staging claims
// of migrations (3.2 step 6). Pure.
import type { Deployment } from "@telltale/kinds/builtin";
import type { Provider } from "../kinds/index.ts";
import { volumeOf } from "./runtime-names.ts";
import { tlsPosture } from "./tls.ts";

type PodSpec = NonNullable<NonNullable<Deployment["spec"]>["template"]["spec"]>;
type Volume = NonNullable<PodSpec["volumes"]>[number];
type Mount = NonNullable<PodSpec["containers"][number]["volumeMounts"]>[number];
/** A volume and where it is. */
type Mounted = readonly [Volume, Mount];

export function mountsOf(it: Provider, claims: readonly string[]): readonly Mounted[] {
  const tls = tlsPosture(it);
  return [
    secret("credentials", it.spec.credentialSecretRef.name, "/etc/virtrigaud/credentials"),
    ...(tls.is === "encrypted" ? [secret("tls", tls.secret, "/etc/virtrigaud/tls")] : []),
    [
      { name: "tmp", emptyDir: {} },
      { name: "tmp", mountPath: "/tmp" },
    ],
    ...(it.spec.type === "libvirt" ? [keysInMemory] : []),
    ...claims.map(staging),
  ];
}

function secret(name: string, secretName: string, mountPath: string): Mounted {
  return [
    { name, secret: { secretName } },
    { name, mountPath, readOnly: true },
  ];
}

/** SSH keys never reach a disk (7.1). */
const keysInMemory: Mounted = [
  { name: "libvirt-keys", emptyDir: { medium: "Memory", sizeLimit: "4Mi" } },
  { name: "libvirt-keys", mountPath: "/tmp/virtrigaud-libvirt" },
];

function staging(claim: string): Mounted {
  const name = volumeOf(claim);
  return [
    { name, persistentVolumeClaim: { claimName: claim } },
    { name, mountPath: `/mnt/migration-storage/${claim}` },
  ];
}

/** The staging claims that a Deployment mounts now. */
export function claimsIn(deployment: Deployment | undefined): readonly string[] {
  const volumes = deployment?.spec?.template.spec?.volumes ?? [];
  return volumes.flatMap(({ persistentVolumeClaim: it }) => (it === undefined ? [] : [it.claimName]));
}
