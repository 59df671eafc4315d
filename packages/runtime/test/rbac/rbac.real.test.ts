// The same life under the same roles on a real kube-apiserver, one that enforces the rights of owners.
import { type Connection, createClient, findConnection, httpTransport } from "@telltale/client";
import { systemClock, systemRandom } from "@telltale/clock";
import { toCrd } from "@telltale/kinds";
import { CustomResourceDefinition, Role, SelfSubjectAccessReview } from "@telltale/kinds/builtin";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../../tools/envtest/envtest.ts";
import { realWorld } from "../real-world.ts";
import { Site, site, siteController } from "../site.ts";
import type { World } from "../world.ts";
import { type Account, account } from "./account.ts";
import { everything, live } from "./site-life.ts";

const assets = assetsFor("packages/runtime: derived roles");

describe.skipIf(assets === undefined)("on a real API server", () => {
  let plane: ControlPlane;
  let connection: Connection;
  beforeAll(async () => {
    const flag = "--enable-admission-plugins=OwnerReferencesPermissionEnforcement";
    plane = await startControlPlane({ assets: assets ?? "", apiserverFlags: [flag] });
    connection = await findConnection({ clock: systemClock, path: plane.kubeconfig, env: {} });
    const client = createClient({ transport: httpTransport(connection), clock: systemClock, random: systemRandom });
    await client.create(CustomResourceDefinition, toCrd(Site));
    await client.close();
  });
  afterAll(() => plane?.stop());

  const as = (token: string) =>
    httpTransport({ ...connection, identity: async () => ({ authorization: `Bearer ${token}` }) });
  const inNamespace = (w: World) => ({ name: "sites", namespace: w.namespace, namespaces: [w.namespace] });
  const refused = ({ exchanges }: Account) =>
    exchanges.filter(({ status }) => status === 401 || status === 403).map(({ request }) => request.path);

  it("an operator under its derived roles is refused nothing", async () => {
    const w = await realWorld(plane);
    const replicas = { as: "lease", namespace: w.namespace } as const;
    const options = { ...inNamespace(w), controllers: [everything(w)], replicas };
    const it = await account({ w, clock: systemClock, as }, options);
    await live(w, options, it.transport);
    expect(refused(it)).toEqual([]);
    expect(w.lines.filter(({ level }) => level === "error")).toEqual([]);
    await w.end();
    await it.transport.close();
  });

  it("an operator without the right to its owners' finalizers can make no children", async () => {
    const w = await realWorld(plane);
    const options = { ...inNamespace(w), controllers: [siteController()], events: "none" } as const;
    const it = await account({ w, clock: systemClock, as }, options);
    const role = await w.client.get(Role, "sites", { namespace: w.namespace });
    const rules = (role.rules ?? []).filter(({ resources }) => !resources?.includes("sites/finalizers"));
    expect(rules).toHaveLength((role.rules ?? []).length - 1);
    await w.client.update(Role, { ...role, rules });
    const client = createClient({ transport: it.transport, clock: systemClock, random: systemRandom });
    const { namespace } = w;
    const resourceAttributes = { group: Site.group, resource: Site.plural, subresource: "finalizers", namespace };
    const may = () =>
      client.create(SelfSubjectAccessReview, {
        spec: { resourceAttributes: { ...resourceAttributes, name: "a", verb: "update" } },
      });
    await w.until(async () => (await may()).status?.allowed === false, "the lesser role");
    await w.client.create(Site, site("a", {}, w.namespace));
    await w.start(options.controllers, { ...options, transport: it.transport });
    await w.until(() => refused(it).some((path) => path.includes("/deployments/a")), "a refusal");
    await w.end();
    await it.transport.close();
  });
});
