// The files of a new operator: one kind with one child, in the shape that all operators have. It runs, and passes its tests. Pure.
import type { Names } from "./names.ts";

export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** `version`: of our packages. */
export function filesFor(names: Names, version: string): readonly NewFile[] {
  const { name } = names;
  return [
    { path: "package.json", text: manifest(names, version) },
    { path: `src/kinds/${name}.ts`, text: kind(names) },
    { path: `src/${name}/plan.ts`, text: plan(names) },
    { path: `src/${name}/status.ts`, text: status(names) },
    { path: `src/${name}/controller.ts`, text: controller(names) },
    { path: "src/index.ts", text: index(names) },
    { path: "src/manifests.ts", text: manifests(names) },
    { path: "src/main.ts", text: main(names) },
    { path: `samples/${name}.yaml`, text: sample(names) },
    { path: `test/${name}.test.ts`, text: test(names) },
    { path: "README.md", text: readme(names) },
  ];
}

function manifest({ name }: Names, version: string): string {
  const ours = (...names: readonly string[]) => Object.fromEntries(names.map((it) => [`@telltale/${it}`, version]));
  const json = {
    name: `${name}-operator`,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: { start: "node src/main.ts", manifests: "node src/manifests.ts", test: "vitest run" },
    exports: { ".": { types: "./src/index.ts", default: "./src/index.ts" } },
    dependencies: ours("client", "clock", "kinds", "runtime", "status"),
    devDependencies: ours("apiserver"),
  };
  return `${JSON.stringify(json, undefined, 2)}\n`;
}

const kind = ({
  kind: Kind,
  group,
}: Names) => `// The kind: everything that a ${Kind} can be told, and everything that it can say.
import {
  age,
  column,
  conditionColumn,
  conditions,
  defineKind,
  Fields,
  Int32,
  no,
  positive,
  type Resource,
  Text,
  yes,
} from "@telltale/kinds";

export const ${Kind} = defineKind({
  group: "${group}",
  version: "v1alpha1",
  kind: "${Kind}",
  spec: Fields({ image: Text(), replicas: Int32({ minimum: 0, maximum: 100, default: 1 }) }),
  status: Fields({ readyReplicas: Int32() }),
  conditions: conditions({
    Ready: positive({
      means: "Every replica answers",
      reasons: {
        AllReady: yes("They do"),
        Starting: no("Replicas are starting", "wait; if it lasts, look at the pods"),
        NameTaken: no("Somebody else has a Deployment of this name", "choose another name"),
      },
    }),
  }),
  columns: [conditionColumn("Ready", "Ready"), column("Replicas", ".status.readyReplicas", "integer"), age()],
});
export type ${Kind} = Resource<typeof ${Kind}>;
`;

const plan = ({ kind: Kind, name, value }: Names) => `// What is wanted: pure, and without a server to be tested.
import type { Deployment } from "@telltale/kinds/builtin";
import type { ${Kind} } from "../kinds/${name}.ts";

/** The Deployment of a ${Kind}. Fields that are left out belong to others. */
export function deploymentOf(${value}: ${Kind}) {
  const name = ${value}.metadata.name ?? "";
  const labels = { "app.kubernetes.io/name": name };
  return {
    metadata: { name },
    spec: {
      replicas: ${value}.spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: ${value}.spec.image }] } },
    },
  } satisfies Partial<Deployment>;
}
`;

const status = ({
  kind: Kind,
  name,
  value,
}: Names) => `// How things are: pure. Who writes it, when and whether at all is the runtime's business.
import type { Deployment } from "@telltale/kinds/builtin";
import { type Draft, text } from "@telltale/status";
import type { ${Kind} } from "../kinds/${name}.ts";

export interface World {
  readonly ${value}: ${Kind};
  /** The child, where it is there. */
  readonly deployment: Deployment | undefined;
}

export function status({ ${value}, deployment }: World, draft: Draft<typeof ${Kind}>): void {
  const wanted = ${value}.spec.replicas;
  const ready = deployment?.status?.readyReplicas ?? 0;
  draft.set({ readyReplicas: ready });
  if (deployment !== undefined && ready >= wanted) draft.condition("Ready", true, "AllReady", "Every replica answers");
  else draft.condition("Ready", false, "Starting", text\`\${ready} of \${wanted} replicas answer\`);
}
`;

const controller = ({ kind: Kind, name, value }: Names) => `// The wiring: what is watched, and the steps in a row.
import { Deployment } from "@telltale/kinds/builtin";
import { controller } from "@telltale/runtime";
import { Failed, text } from "@telltale/status";
import { ${Kind} } from "../kinds/${name}.ts";
import { deploymentOf } from "./plan.ts";
import { status, type World } from "./status.ts";

export const ${value}Controller = controller(${Kind})
  .owns(Deployment)
  .reconcile<World, ReturnType<typeof deploymentOf>>({
    observe: (${value}, look) => ({ ${value}, deployment: look.children(Deployment)[0] }),
    plan: ({ ${value} }) => deploymentOf(${value}),
    async act(wanted, hands) {
      const { as } = await hands.ensure(Deployment, wanted);
      if (as !== "foreign") return;
      const message = text\`Deployment \${wanted.metadata.name} is not ours\`;
      throw new Failed({ class: "waiting", reason: "NameTaken", message });
    },
    status,
  });
`;

/** In the order of their paths. */
const index = ({ kind: Kind, name, value }: Names) =>
  [
    { path: `./kinds/${name}.ts`, what: Kind },
    { path: `./${name}/controller.ts`, what: `${value}Controller` },
  ]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, what }) => `export { ${what} } from "${path}";\n`)
    .join("");

const manifests = ({
  kind: Kind,
  name,
  value,
}: Names) => `// Prints what a cluster needs: the definition, the account, and exactly the rights that the controller declares.
import { toCrd } from "@telltale/kinds";
import { rbacManifests } from "@telltale/runtime";
import { ${Kind}, ${value}Controller } from "./index.ts";

const namespace = "${name}-system";
const replicas = { as: "lease", namespace } as const;
const roles = rbacManifests({ name: "${name}", namespace, controllers: [${value}Controller], replicas });
const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
console.log(JSON.stringify({ apiVersion: "v1", kind: "List", items: [home, toCrd(${Kind}), ...roles] }, undefined, 2));
`;

const main = ({ name, value }: Names) => `// The operator as a process: one of several works, until it is asked to end.
import { findConnection, httpTransport } from "@telltale/client";
import { systemClock as clock } from "@telltale/clock";
import { manager, pinoLog } from "@telltale/runtime";
import { ${value}Controller } from "./index.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stop.abort());
const log = await pinoLog({ level: "info", clock });
const transport = httpTransport(await findConnection({ clock }));
await manager({
  name: "${name}",
  transport,
  controllers: [${value}Controller],
  replicas: { as: "lease", namespace: process.env["POD_NAMESPACE"] ?? "${name}-system" },
  probes: { host: process.env["HOST"] ?? "127.0.0.1", port: Number(process.env["PORT"] ?? 8080) },
  log,
}).run(stop.signal);
await transport.close();
await log.flush();
`;

const sample = ({ kind: Kind, name, group }: Names) => `apiVersion: ${group}/v1alpha1
kind: ${Kind}
metadata:
  name: demo-${name}
spec:
  image: nginx
  replicas: 2
`;

const test = ({
  kind: Kind,
  value,
}: Names) => `// The operator on a server in this process, on a clock that the test moves.
import { type ApiServer, startApiServer } from "@telltale/apiserver";
import { type Client, createClient, inProcessTransport } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { Deployment } from "@telltale/kinds/builtin";
import { manager } from "@telltale/runtime";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ${Kind}, ${value}Controller } from "../src/index.ts";

const namespace = "default";
let clock: VirtualClock;
let server: ApiServer;
let client: Client;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  clock = new VirtualClock();
  const random = seededRandom(1);
  server = await startApiServer({ listen: false, clock, random, objects: [toCrd(${Kind})] });
  const transport = inProcessTransport(server.client);
  client = createClient({ transport, clock, random });
  stop = new AbortController();
  const options = { name: "test", transport, controllers: [${value}Controller], clock, random, strict: true };
  running = manager(options).run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
  await server.stop();
});

async function make(replicas: number): Promise<void> {
  const { apiVersion, kind } = ${Kind};
  const metadata = { name: "demo", namespace };
  await client.create(${Kind}, { apiVersion, kind, metadata, spec: { image: "nginx", replicas } });
  await clock.settle(1_000);
}

const ready = async () => (await client.get(${Kind}, "demo", { namespace })).status?.conditions?.[0];

test("a Deployment is made, and what it lacks is said", async () => {
  await make(2);
  expect((await client.get(Deployment, "demo", { namespace })).spec?.replicas).toBe(2);
  expect(await ready()).toMatchObject({ status: "False", reason: "Starting", message: "0 of 2 replicas answer" });
});

test("it is ready when every replica is", async () => {
  await make(2);
  const status = { replicas: 2, readyReplicas: 2 };
  await client.status.patch(Deployment, { name: "demo", namespace }, { merge: { status } });
  await clock.settle(1_000);
  expect(await ready()).toMatchObject({ status: "True", reason: "AllReady" });
});

test("a Deployment of somebody else is left alone", async () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "theirs" }] } };
  const spec = { selector: { matchLabels: { a: "b" } }, template };
  await client.create(Deployment, { metadata: { name: "demo", namespace }, spec });
  await make(2);
  expect(await ready()).toMatchObject({ status: "False", reason: "NameTaken" });
  const found = await client.get(Deployment, "demo", { namespace });
  expect(found.spec?.template.spec?.containers[0]?.image).toBe("theirs");
});
`;

const readme = ({ kind: Kind, name, plural }: Names) => `# ${Kind}

A \`${Kind}\` is a Deployment with a status that says whether every replica answers.

\`\`\`sh
npx vitest run .                                    # its tests, in this folder
npx node src/manifests.ts | kubectl apply -f -      # definition, account, roles
npx node src/main.ts                                # runs it here; kubectl's cluster is its cluster
kubectl apply -f samples/${name}.yaml
kubectl get ${plural}
npx telltale why ${plural}
\`\`\`

| Where | What |
|---|---|
| \`src/kinds/${name}.ts\` | the kind: schema, conditions, reasons with what to do, columns |
| \`src/${name}/plan.ts\`, \`status.ts\` | what is wanted, and how things are. Pure |
| \`src/${name}/controller.ts\` | what is watched, and the steps in a row |
| \`src/manifests.ts\`, \`src/main.ts\` | what a cluster needs, and the process |

| Condition | Reason | Means | Do |
|---|---|---|---|
| \`Ready\` | \`AllReady\` | every replica answers | |
| | \`Starting\` | replicas are starting | wait; if it lasts, look at the pods |
| | \`NameTaken\` | somebody else has a Deployment of this name | choose another name |
`;
