import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, turn, VirtualClock } from "@telltale/clock";
import { instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import { SimulatedHost } from "../simulated/host.ts";
import { furnish } from "./furnish.ts";
import { addressOf, localPods } from "./local-pods.ts";

const pod = (provider: string, more: Pod["metadata"] = {}): Pod => ({
  metadata: {
    namespace: "default",
    labels: { "app.kubernetes.io/name": "virtrigaud-provider", "app.kubernetes.io/instance": provider },
    annotations: { "telltale.dev/ports": `{"9443":"127.0.0.9:9443","8080":"127.0.0.9:8080"}` },
    ...more,
  },
});
const endpoint = "virtrigaud-provider-default-box.default.svc.cluster.local:9443";

test("the Service of a provider leads to where its pod listens", () => {
  expect(addressOf(endpoint, [pod("box-2"), pod("box")])).toBe("127.0.0.9:9443");
});

test.each([
  ["of another provider", pod("box-2")],
  ["of another namespace", pod("box", { namespace: "elsewhere" })],
  ["that is being deleted", pod("box", { deletionTimestamp: "2026-01-01T00:00:00Z" })],
  ["that does not say yet where it is", pod("box", { annotations: {} })],
  ["that says it badly", pod("box", { annotations: { "telltale.dev/ports": "{" } })],
  ["of somebody else", { metadata: { namespace: "default" } }],
])("it does not lead to a pod %s", (_which, one) => {
  expect(addressOf(endpoint, [one])).toBeUndefined();
});

test("there is an image that boots, and it runs providers' pods only", () => {
  const folder = mkdtempSync(join(tmpdir(), "telltale-local-"));
  const { image, runs } = localPods({ folder });
  expect(readFileSync(image).readUInt16LE(510)).toBe(0xaa55);
  expect([runs(pod("box")), runs({ metadata: { labels: { app: "bind9" } } })]).toEqual([true, false]);
  rmSync(folder, { recursive: true });
});

test("machines that are to be there are made and switched on once", async () => {
  const clock = new VirtualClock(instant(0));
  const host = new SimulatedHost({ clock, random: seededRandom(1) });
  const made = async (...names: readonly string[]) => {
    let isDone = false;
    void furnish(host.handlers, { names, image: "/images/boot.raw", clock }).then(() => (isDone = true));
    for (let i = 0; i < 1_000 && !isDone; i += 1) {
      clock.advance(100);
      await turn();
    }
    return host.calls.map(({ method }) => method).filter((method) => method === "create" || method === "power");
  };
  const each = ["create", "power"];
  expect(await made("web-1", "db-1")).toEqual([...each, ...each]);
  expect(host.machine("db-1")).toMatchObject({ power: "On" });
  expect(await made("web-1", "db-1", "cache-1")).toEqual([...each, ...each, ...each]);
  expect(await made()).toHaveLength(6);
});
