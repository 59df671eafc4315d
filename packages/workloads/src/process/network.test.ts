import { createServer } from "node:net";
import { fnv1a32 } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { describe, expect, it } from "vitest";
import { addressOf, Networks, networkJson, networkOf } from "./network.ts";

const pod = (uid: string, ports: readonly number[] = [], spec: Partial<Pod["spec"]> = {}): Pod => ({
  metadata: { uid },
  spec: { ...spec, containers: [{ name: "main", ports: ports.map((containerPort) => ({ containerPort })) }] },
});

describe("addresses of their own", () => {
  it("are on loopback, one for each pod, and the same for the same pod", async () => {
    const networks = new Networks("own");
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => networks.of(pod(`uid-${n}`), undefined)));
    expect(new Set(all.map(({ ip }) => ip)).size).toBe(200);
    for (const { ip } of all) expect(ip).toMatch(/^127\.([1-9]|\d\d|1\d\d|2[0-4]\d|25[0-4])(\.\d+){2}$/);
    expect(await new Networks("own").of(pod("uid-7"), undefined)).toEqual(all[7]);
  });

  it("differ also where two pods would by chance have the same", async () => {
    const seen = new Map<number, string>();
    const pair: string[] = [];
    for (let n = 0; pair.length === 0; n += 1) {
      const uid = `uid-${n}`;
      const hash = fnv1a32(uid) % 254 ** 3;
      const other = seen.get(hash);
      if (other !== undefined) pair.push(other, uid);
      seen.set(hash, uid);
    }
    const networks = new Networks("own");
    const [first, second] = [
      await networks.of(pod(pair[0] ?? ""), undefined),
      await networks.of(pod(pair[1] ?? ""), undefined),
    ];
    expect((await new Networks("own").of(pod(pair[1] ?? ""), undefined)).ip).toBe(first.ip);
    expect(second.ip).not.toBe(first.ip);
  });

  it("are given to another pod only when they are free", async () => {
    const networks = new Networks("own");
    const first = await networks.of(pod("a"), undefined);
    const wanted = { ip: first.ip, ports: new Map(), isOwn: true };
    expect((await networks.of(pod("b"), wanted)).ip).not.toBe(first.ip);
    networks.release("a");
    expect((await networks.of(pod("c"), wanted)).ip).toBe(first.ip);
  });

  it("need no other ports than those declared, whatever is privileged apart", async () => {
    const { ports } = await new Networks("own").of(pod("a", [8080, 9090, 8080, 0, 70_000]), undefined);
    expect([...ports]).toEqual([
      [8080, 8080],
      [9090, 9090],
    ]);
    const { ip, ports: low } = await new Networks("own").of(pod("b", [81]), undefined);
    const port = low.get(81) ?? 0;
    expect(port === 81 || port >= 1024).toBe(true);
    const server = createServer();
    await new Promise<void>((done) => void server.listen(port, ip, done)); // it can be listened on
    await new Promise<void>((done) => void server.close(() => done()));
  });
});

describe("a shared address", () => {
  it("has a free port for each that is declared, and none twice", async () => {
    const networks = new Networks("shared");
    const all = [];
    for (let n = 0; n < 10; n += 1) all.push(await networks.of(pod(`uid-${n}`, [80, 8080]), undefined));
    expect(all.every(({ ip, isOwn }) => ip === "127.0.0.1" && !isOwn)).toBe(true);
    const given = all.flatMap(({ ports }) => [...ports.values()]);
    expect(new Set(given).size).toBe(20);
  });

  it("is the machine's for a pod on its network, with its ports as they are", async () => {
    const network = await new Networks("own").of(pod("a", [80]), undefined);
    expect(network.ip).not.toBe("127.0.0.1");
    const host = await new Networks("own").of(pod("b", [80], { hostNetwork: true }), undefined);
    expect([host.ip, ...host.ports]).toEqual(["127.0.0.1", [80, 80]]);
  });
});

it("what is written down is the same when it is read", () => {
  const network = { ip: "127.1.2.3", ports: new Map([[80, 4000]]), isOwn: true };
  expect(networkOf(JSON.parse(JSON.stringify(networkJson(network))))).toEqual(network);
  expect(networkOf({ ip: 7 })).toBeUndefined();
  expect(networkOf(null)).toBeUndefined();
});

it("a port is found by number and by name", () => {
  const network = { ip: "127.1.2.3", ports: new Map([[80, 4000]]), isOwn: true };
  const container = { name: "main", ports: [{ name: "web", containerPort: 80 }] };
  expect(addressOf(network, container, "web")).toEqual({ host: "127.1.2.3", port: 4000 });
  expect(addressOf(network, container, "81")).toEqual({ host: "127.1.2.3", port: 81 });
  expect(() => addressOf(network, container, "api")).toThrow('container main has no port named "api"');
});
