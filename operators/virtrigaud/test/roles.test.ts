// The rights of the operator: as those that the specification lists but for differences that have a reason, enough for everything that a
// whole life asks of the server, and none that nobody uses.
import type { Request } from "@telltale/client";
import { expect, test } from "vitest";
import { standardConfig } from "../src/config.ts";
import { VMClass, VMMigration, VMSet } from "../src/kinds/index.ts";
import { roles } from "../src/manifests/roles.ts";
import { virtrigaudOperator } from "../src/operator.ts";
import { type Deed, deedsOf } from "./deeds.ts";
import { everything } from "./everything.ts";
import { type Whole, whole, worked } from "./whole.ts";

const manifests = roles({ namespace: "virtrigaud-system", config: standardConfig });
const words = ({ verb, resource, subresource }: Deed) =>
  `${verb} ${resource}${subresource === "" ? "" : `/${subresource}`}`;
const granted = new Set(deedsOf(manifests).map(words));

const all = "create delete get list patch update watch";
const rw = "get list patch update watch";
const plurals =
  "virtualmachines providers vmmigrations vmsets vmplacementpolicies vmsnapshots vmclasses vmimages vmclones vmnetworkattachments";
const owners = plurals.split(" ").filter((it) => it !== "vmplacementpolicies" && it !== "vmimages");
const each = (names: string, subresource: string) =>
  names
    .split(" ")
    .map((it) => `${it}/${subresource}`)
    .join(" ");

/** 7.7, line by line: resources and verbs. */
const listed = new Set(
  [
    ["virtualmachines vmsnapshots", all],
    ["vmclasses", `create ${rw}`],
    ["providers vmmigrations vmclones vmsets vmimages vmnetworkattachments vmplacementpolicies", rw],
    [each(plurals, "status"), "get patch update"],
    [each(owners.join(" "), "finalizers"), "update"],
    ["deployments controllerrevisions services persistentvolumeclaims", all],
    ["secrets configmaps pods namespaces", "get list watch"],
    ["events", "create patch"],
    ["jobs", "create delete get list watch"],
    ["leases", "create get list patch update watch"],
  ].flatMap(([resources = "", verbs = ""]) =>
    resources.split(" ").flatMap((resource) => verbs.split(" ").map((verb) => `${verb} ${resource}`)),
  ),
);

const hasMigrations = virtrigaudOperator({ config: standardConfig }).some(({ kind }) => kind.kind === VMMigration.kind);

/** Why a right of the list is not asked for. The first that fits counts. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^update \S+\/finalizers$/, "asked by the server only of those who own children: the others own none"],
  [/^update /, "nothing is ever written by PUT"],
  [/^get \S+\/status$/, "a status is read with its object"],
  [/^(list|watch) secrets$/, "Secrets are read one at a time, by their names"],
  [/^(list|watch) leases$/, "one Lease is read by its name"],
  [/^patch vmplacementpolicies$/, "a policy has no finalizer, and nothing is kept on it: only its status is written"],
  ...(hasMigrations
    ? []
    : [
        [/vmmigrations/, "VMMigrations are read; nobody works on them yet"] as const,
        [/^patch persistentvolumeclaims$/, "only migrations change claims"] as const,
      ]),
];

test("7.7 nothing is granted that the specification does not list, and what is left out has a reason", () => {
  expect([...granted].filter((right) => !listed.has(right))).toEqual([]);
  const missing = [...listed].filter((right) => !granted.has(right));
  expect(missing.filter((right) => !reasons.some(([pattern]) => pattern.test(right)))).toEqual([]);
  const stale = reasons.filter(([pattern]) => !missing.some((right) => pattern.test(right)));
  expect(stale.map(([, why]) => why)).toEqual([]);
});

test("who watches single namespaces has no rights elsewhere, and in its own only to its Lease", () => {
  const config = { ...standardConfig, namespaces: ["demo", "shop"] };
  const deeds = deedsOf(roles({ namespace: "virtrigaud-system", config }));
  expect(deeds.filter(({ resource, namespace: place }) => resource === "secrets" && place === "")).toEqual([]);
  expect(new Set(deeds.map((it) => it.namespace))).toEqual(new Set(["", "demo", "shop", "virtrigaud-system"]));
  expect(new Set(deeds.filter((it) => it.namespace === "").map((it) => it.resource))).toEqual(new Set(["namespaces"]));
  const own = deeds.filter((it) => it.namespace === "virtrigaud-system");
  expect(new Set(own.map((it) => `${it.resource} ${it.verb === "create" ? "" : it.name}`))).toEqual(
    new Set(["leases ", "leases 8da97394.virtrigaud.io"]),
  );
});

/** `patch virtualmachines/status`, as a role would have it. */
function askedFor({ method, path }: Request): string {
  const [place = "", query = ""] = path.split("?");
  const parts = place.split("/").filter((part) => part !== "");
  const rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const [resource = "", name, sub] = rest[0] === "namespaces" && rest.length > 2 ? rest.slice(2) : rest;
  const reading = query.includes("watch=") ? "watch" : name === undefined ? "list" : "get";
  const verbs: Readonly<Record<string, string>> = {
    GET: reading,
    POST: "create",
    PATCH: "patch",
    PUT: "update",
    DELETE: "delete",
  };
  return `${verbs[method]} ${sub === undefined ? resource : `${resource}/${sub}`}`;
}

const others: ReadonlySet<string> = new Set([
  "patch events", // the same event again
  "create services", // an apply that makes something needs both
  "create deployments",
  "create persistentvolumeclaims", // of sets with claims
  "delete persistentvolumeclaims",
  "patch persistentvolumeclaims", // of migrations
  "patch vmmigrations",
  "patch vmmigrations/status",
  "create jobs",
  "delete jobs",
  "patch controllerrevisions", // one that counts again
  "delete controllerrevisions", // more of them than a set keeps
  "create vmsnapshots", // of schedules and hooks
  "create vmclasses", // of machines that were found
]);

/** A right that one life without trouble does not show. */
function isElsewhere(right: string): boolean {
  const [verb = "", resource = ""] = right.split(" ");
  if (resource === "leases") return true; // this process is alone
  if (resource.endsWith("/finalizers")) return verb === "update"; // the server asks for it, for owner references
  if (verb === "get" || verb === "list") return true; // after a conflict; on servers whose watches begin with nothing
  return others.has(right);
}

test("a whole life asks for nothing that is not granted, and uses what is", { timeout: 60_000 }, async () => {
  const asked = new Set<string>();
  const it = await whole({
    refuse(request) {
      asked.add(askedFor(request));
      return undefined;
    },
  });
  it.host("box");
  await it.create(everything);
  await it.ready(300_000);
  await change(it);
  for (const { kind, metadata } of await it.all())
    await it.remove(worked.find((one) => one.kind === kind) ?? VMClass, metadata?.name ?? "");
  await it.until(async () => (await it.all()).length === 0, 600_000);
  await it.end();
  expect([...asked].filter((right) => !granted.has(right))).toEqual([]);
  expect([...granted].filter((right) => !asked.has(right) && !isElsewhere(right))).toEqual([]);
});

async function change(it: Whole): Promise<void> {
  await it.patch(VMSet, "pool", { spec: { replicas: 1, template: { spec: { powerState: "Off" } } } });
  await it.pass(60_000);
}
