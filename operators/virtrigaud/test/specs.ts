// Specs of the ten kinds for tests: with as few fields as there may be, and with all of them.
import type { Structural } from "@telltale/kinds";
import { virtrigaudKinds } from "../src/kinds/index.ts";

export const kindNamed = (name: string) => {
  const kind = virtrigaudKinds.find((it) => it.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
};

/** Texts for fields with a pattern: the first that fits. */
const examples = [
  "name",
  "90s",
  "192.0.2.10",
  "192.0.2.10/24",
  "02:00:00:00:00:01",
  "https://images.example/tiny.ova",
  "tcp://box.example:9443",
  "example/image:dev",
  "vmbr0",
  "5Gi",
  "@daily",
];

type Spec = Readonly<Record<string, unknown>>;
const machine = { providerRef: { name: "box" }, classRef: { name: "small" } };
const selector = { matchLabels: { app: "pool" } };

export const least: Readonly<Record<string, Spec>> = {
  VirtualMachine: machine,
  Provider: {
    type: "qemu",
    endpoint: "tcp://127.0.0.1:9443",
    credentialSecretRef: { name: "creds" },
    runtime: { image: "example/provider:dev" },
  },
  VMMigration: { source: { vmRef: { name: "web" } }, target: { name: "web2", providerRef: { name: "box2" } } },
  VMSet: { selector, template: { spec: machine } },
  VMPlacementPolicy: {},
  VMSnapshot: { vmRef: { name: "web" } },
  VMClass: { cpu: 1, memory: "512Mi" },
  VMImage: { source: { dataVolume: { name: "tiny" } } },
  VMClone: { source: { vmRef: { name: "web" } }, target: { name: "web2" } },
  VMNetworkAttachment: { network: {} },
};

/** Where only one of several may be given, the others are left out. */
const leftOut: readonly string[] = [
  "VirtualMachine.importedDisk",
  "VMSet.template.spec.importedDisk",
  "VMMigration.storage.s3",
  "VMMigration.storage.nfs",
  "VMImage.source.libvirt",
  "VMImage.source.vsphere",
  "VMImage.source.proxmox",
  "VMImage.source.registry",
  "VMImage.source.dataVolume",
  "VMClone.source.templateRef",
  "VMClone.source.snapshotRef",
  "VMClone.source.imageRef",
];

/** Every field that a kind has, with a value that it may have. */
export const full = (name: string): Spec => exampleOf(kindNamed(name).schema.spec, name) as Spec;

/** Every field that a status has. */
export const fullStatus = (name: string): Spec =>
  exampleOf(kindNamed(name).schema.status ?? {}, `${name}.status`) as Spec;

/** What stands where only one of several may stand, each by itself. */
export const alternatives: readonly (readonly [string, Spec])[] = leftOut
  .filter((path) => !path.startsWith("VMSet"))
  .map((path) => {
    const [name = "", ...at] = path.split(".");
    const given = at.reduce<Structural | undefined>((it, part) => it?.properties?.[part], kindNamed(name).schema.spec);
    return [path, withMember(least[name] ?? {}, name, at, exampleOf(given ?? {}, path, true))] as const;
  });

function withMember(spec: Spec, name: string, [head = "", last = ""]: readonly string[], value: unknown): Spec {
  if (last === "") return { ...spec, [head]: value };
  return { ...spec, [head]: { ...(name === "VMMigration" ? { type: last } : {}), [last]: value } };
}

function exampleOf(schema: Structural, path: string, isAsked = false): unknown {
  if (leftOut.includes(path) && !isAsked) return undefined;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema["x-kubernetes-int-or-string"] === true) return schema.pattern === undefined ? "25%" : "1Gi";
  switch (schema.type) {
    case "string":
      return textOf(schema);
    case "integer":
      return Math.max(1, schema.minimum ?? 1);
    case "boolean":
      return true;
    case "array":
      return [exampleOf(schema.items ?? {}, `${path}[]`)];
    default:
      return membersOf(schema, path);
  }
}

function membersOf(schema: Structural, path: string): Spec {
  if (schema.additionalProperties !== undefined) return { key: exampleOf(schema.additionalProperties, `${path}{}`) };
  const members = Object.entries(schema.properties ?? {}).map(([name, child]) => [
    name,
    exampleOf(child, `${path}.${name}`),
  ]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function textOf({ pattern = "", format, minLength = 0 }: Structural): string {
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  const known =
    pattern === "" ? "x".repeat(Math.max(1, minLength)) : examples.find((it) => new RegExp(pattern).test(it));
  if (known === undefined) throw new Error(`no example fits ${pattern}`);
  return known;
}
