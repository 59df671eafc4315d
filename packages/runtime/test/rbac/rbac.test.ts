// The derived roles are exact: an operator under them lacks nothing, and whatever is taken away from them is missed.
import { createClient, inProcessTransport, type Request } from "@telltale/client";
import { seededRandom } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import {
  ClusterRole,
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  MutatingWebhookConfiguration,
  Role,
  Secret,
  ValidatingWebhookConfiguration,
} from "@telltale/kinds/builtin";
import { afterEach, beforeEach, expect, it } from "vitest";
import { controller, type Hands } from "../../src/index.ts";
import type { PolicyRule, RbacOptions } from "../../src/rbac.ts";
import { conversionWebhook, webhookConfigurations } from "../../src/webhook/manifests.ts";
import { certificates } from "../../src/webhook/secret-certificates.ts";
import { webhooks } from "../../src/webhook/webhooks.ts";
import { Site, site, siteController } from "../site.ts";
import { Widget } from "../webhook/widget.ts";
import { type EmbeddedWorld, world } from "../world.ts";
import { type Account, account, type Exchange } from "./account.ts";
import { everything, live } from "./site-life.ts";

let w: EmbeddedWorld;
beforeEach(async () => {
  w = await world({ kinds: [Site], server: { authorization: "rbac" } });
});
afterEach(() => w.end());

/** Everything that was sent is sent again for each right. */
const long = { timeout: 60_000 };
const at = { name: "sites", namespace: "default" };
const made = (options: RbacOptions): Promise<Account> => {
  const as = (token: string) =>
    inProcessTransport((request) =>
      w.server.client({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } }),
    );
  return account({ w, clock: w.clock, as }, options);
};

it("an operator under its derived roles is refused nothing, and misses whatever is taken away", long, async () => {
  const replicas = { as: "lease", namespace: "default" } as const;
  const options: RbacOptions = { ...at, controllers: [everything(w)], namespaces: ["default"], replicas };
  const it = await made(options);
  // Long enough for an Event to be told again, by counting it up.
  await live(w, options, it.transport, () => w.pass(300_000));
  expect(refused(it.exchanges)).toEqual([]);
  expect(w.lines.filter(({ level }) => level === "error")).toEqual([]);
  // Asked for only where a cluster enforces the rights of owners: `rbac.real.test.ts` has one.
  expect(await unused(it)).toEqual(["update sites/finalizers"]);
});

it("so do those who share", long, async () => {
  const replicas = { as: "shards", namespace: "default" } as const;
  const options: RbacOptions = { ...at, controllers: [siteController()], replicas, events: "none" };
  const it = await made(options);
  const start = (identity: string) =>
    w.start(options.controllers, {
      name: "sites",
      transport: { ...it.transport, close: async () => {} },
      replicas: { ...replicas, identity },
    });
  const first = await start("first");
  const second = await start("second");
  await w.until(() => leases("agreed on who owns what") >= 2, "members that agree");
  await first.stop();
  // Its Lease is litter after a while.
  await w.pass(300_000);
  await second.stop();
  expect(refused(it.exchanges)).toEqual([]);
  expect((await unused(it)).filter((right) => right.endsWith("leases"))).toEqual([]);
});

it("so does one that keeps the certificates of its webhooks", async () => {
  const hooks = webhooks({ clock: w.clock })
    .validate(Widget, () => undefined)
    .mutate(Widget, ({ object }) => object)
    .convert(Widget);
  const service = { service: { namespace: "default", name: "hooks" } };
  const { validating = {}, mutating = {} } = webhookConfigurations(hooks, { name: "hooks", at: service });
  await w.client.create(ValidatingWebhookConfiguration, validating);
  await w.client.create(MutatingWebhookConfiguration, mutating);
  const conversion = conversionWebhook(hooks, Widget, service);
  const crd = toCrd(Widget, conversion === undefined ? {} : { conversion });
  await w.client.create(CustomResourceDefinition, crd);
  const publish = [
    { in: "validating", name: "hooks" },
    { in: "mutating", name: "hooks" },
    { in: "conversion", name: `${Widget.plural}.${Widget.group}` },
  ] as const;
  const kept = { namespace: "default", secret: "hooks-tls", publish };
  const it = await made({ ...at, controllers: [], webhooks: kept });
  const client = createClient({ transport: it.transport, clock: w.clock, random: seededRandom(1) });
  const feed = certificates({ client, clock: w.clock, random: seededRandom(2), service: "hooks", ...kept });
  await w.until(() => feed.current() !== undefined, "a certificate");
  // Somebody breaks it: it is renewed in place.
  await w.client.patch(Secret, { name: "hooks-tls", namespace: "default" }, { merge: { data: { "tls.crt": "" } } });
  await feed.check();
  expect(feed.trouble()).toBeUndefined();
  await feed.stop();
  expect(refused(it.exchanges)).toEqual([]);
  expect(await unused(it)).toEqual([]);
});

const map = { metadata: { name: "map" } };
const told: [string, string, (hands: Hands) => Promise<unknown>][] = [
  ["a change of its own object", `patch Site; add .writes(Site, "patch")`, (hands) => hands.annotate({ a: "b" })],
  [
    "a change of what it may only make",
    `patch ConfigMap; add .owns(ConfigMap) or .writes(ConfigMap, "patch")`,
    (hands) => hands.ensure(ConfigMap, map),
  ],
  [
    "the end of a child that it says it keeps",
    `delete Deployment; add .owns(Deployment) or .writes(Deployment, "delete")`,
    (hands) => hands.remove(Deployment, map, "Background"),
  ],
];

it.each(told)("%s that its role would not allow is not sent, and the way out is told", async (_, message, write) => {
  let said = "";
  const it = controller(Site)
    .owns(Deployment, { verbs: ["create", "patch"] })
    .writes(ConfigMap, "create")
    .reconcile({
      observe: (site) => site,
      act: (_nothing, hands) =>
        write(hands).then(
          () => {},
          (error: Error) => {
            said = error.message;
          },
        ),
      status: (_site, draft) => {
        draft.phase("Pending").condition("Ready", false, "Starting", "seen");
      },
    });
  await w.client.create(Site, site("a"));
  await w.start([it]);
  await w.until(() => said !== "");
  expect(said).toBe(`site: it may not ${message} to the controller`);
});

const leases = (message: string) => w.lines.filter((line) => line.message === message).length;

const refused = (exchanges: readonly Exchange[]) =>
  exchanges
    .filter(({ status }) => status === 401 || status === 403)
    .map(({ request }) => `${request.method} ${request.path}`);

/** The rights of which none of what was sent has need: with each one taken away all of it is sent again. */
async function unused({ manifests, exchanges, transport }: Account): Promise<string[]> {
  const requests = distinct(exchanges);
  const after = w.server.snapshot();
  const isRefused = async (request: Request) => {
    const stop = new AbortController();
    const { status } = await transport.send({ ...request, signal: stop.signal });
    stop.abort();
    return status === 403;
  };
  const found: string[] = [];
  for (const role of manifests) {
    if (role.kind !== "Role" && role.kind !== "ClusterRole") continue;
    const kind = role.kind === "Role" ? Role : ClusterRole;
    for (const { less, what } of lesserThan(role.rules ?? [])) {
      await w.client.update<Role | ClusterRole>(kind, { ...role, rules: less });
      const misses = await Promise.all(requests.map(isRefused));
      if (!misses.includes(true)) found.push(what);
      w.server.restore(after);
    }
  }
  return found;
}

/** One of each: what a role decides on is method and place, and whether an apply makes something: that one has no force. */
function distinct(exchanges: readonly Exchange[]): Request[] {
  const one = ({ request: { method, path } }: Exchange) => {
    const [place, query = ""] = path.split("?");
    return `${method} ${place} ${query.includes("watch=")} ${query.includes("force=")}`;
  };
  return [...new Map(exchanges.map((exchange) => [one(exchange), exchange.request])).values()];
}

/** The same rules but for one verb of one resource, for each of them. */
function* lesserThan(rules: readonly PolicyRule[]): Iterable<{ less: PolicyRule[]; what: string }> {
  for (const rule of rules) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const others = { ...rule, resources: (rule.resources ?? []).filter((it) => it !== resource) };
        const rest = { ...rule, resources: [resource], verbs: rule.verbs.filter((it) => it !== verb) };
        const parts = [others, rest].filter((it) => it.resources.length > 0 && it.verbs.length > 0);
        yield { less: [...rules.filter((it) => it !== rule), ...parts], what: `${verb} ${resource}` };
      }
    }
  }
}
