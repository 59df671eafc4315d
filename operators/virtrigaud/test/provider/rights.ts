// What the controllers of Providers may do is what they declare, and lies within what the manager is granted (7.7).
import { VirtualClock } from "@telltale/clock";
import { type PolicyRule, rbacRules } from "@telltale/runtime";
import { expect, test } from "vitest";
import { adoption } from "../../src/adoption/controller.ts";
import { KnownSecrets } from "../../src/known-secrets.ts";
import { Links } from "../../src/link/links.ts";
import { providers } from "../../src/provider/controller.ts";
import { standardProviderSettings } from "../../src/provider/settings.ts";

const clock = new VirtualClock();
const dial = () => ({ ask: () => Promise.reject(new Error("nobody")), close: () => {} });
const tools = { links: new Links({ dial, clock }), tls: new KnownSecrets(), clock };
const settings = standardProviderSettings;
const external = { of: async (_uid: string, endpoint: string) => ({ endpoint }), forget() {} };
const rules = rbacRules([providers({ ...tools, settings, external }), adoption(tools)], { events: "v1" });

const infra = "infra.virtrigaud.io";
const reading = ["get", "list", "watch"];

/** The rules of 7.7 for everything that these two touch. */
const granted: readonly PolicyRule[] = [
  { apiGroups: [infra], resources: ["virtualmachines"], verbs: ["create", "delete", "patch", "update", ...reading] },
  { apiGroups: [infra], resources: ["vmclasses"], verbs: ["create", "patch", "update", ...reading] },
  { apiGroups: [infra], resources: ["providers", "vmmigrations", "vmclones"], verbs: ["patch", "update", ...reading] },
  { apiGroups: [infra], resources: ["virtualmachines/status", "providers/status"], verbs: ["get", "patch", "update"] },
  { apiGroups: [infra], resources: ["providers/finalizers"], verbs: ["update"] },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: ["create", "delete", "patch", "update", ...reading] },
  {
    apiGroups: [""],
    resources: ["services", "persistentvolumeclaims"],
    verbs: ["create", "delete", "patch", "update", ...reading],
  },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { apiGroups: [""], resources: ["pods"], verbs: reading },
  { apiGroups: [""], resources: ["events"], verbs: ["create", "patch"] },
];

const deeds = (list: readonly PolicyRule[]): ReadonlySet<string> =>
  new Set(
    list.flatMap(({ apiGroups = [], resources = [], verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((of) => verbs.map((verb) => `${verb} ${of} ${group}`))),
    ),
  );

test("nothing is declared that the manager is not granted", () => {
  const allowed = deeds(granted);
  expect([...deeds(rules)].filter((deed) => !allowed.has(deed))).toEqual([]);
});

test("of the writes that are granted for these kinds, the declared ones are all that is used", () => {
  const writes = [...deeds(rules)].filter((deed) => !/^(get|list|watch) /.test(deed)).sort();
  expect(writes).toEqual(
    [
      "create deployments apps",
      "create events ",
      "create services ",
      `create virtualmachines ${infra}`,
      `create vmclasses ${infra}`,
      "delete deployments apps",
      "delete services ",
      "patch deployments apps",
      "patch events ",
      `patch providers ${infra}`,
      `patch providers/status ${infra}`,
      "patch services ",
      `patch virtualmachines/status ${infra}`,
      `update providers/finalizers ${infra}`,
    ].sort(),
  );
});

test("Secrets are read by their names, listed, watched and written by nobody", () => {
  const secrets = [...deeds(rules)].filter((deed) => deed.includes(" secrets "));
  expect(secrets.sort()).toEqual(["get secrets "]);
});
