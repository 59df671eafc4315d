import type { Pod } from "@telltale/kinds/builtin";
import fc from "fast-check";
import { expect, test } from "vitest";
import { at, container, pod } from "../../test/pod-parts.ts";
import { hostPorts, Ledger } from "./ledger.ts";

const unbound = (uid: string, cpu = "1"): Pod => {
  const { spec, ...rest } = pod(
    { containers: [container("main", { resources: { requests: { cpu } } })] },
    { uid, name: uid },
  );
  const { nodeName: _node, ...free } = spec ?? { containers: [] };
  return { ...rest, spec: free };
};
const on = (node: string, it: Pod): Pod => ({ ...it, spec: { containers: [], ...it.spec, nodeName: node } });
const finished = (it: Pod): Pod => ({ ...it, status: { phase: "Succeeded" } });
const load = (ledger: Ledger, node: string) => {
  const { used, pods } = ledger.loadOf(node);
  return { cpu: used.get("cpu") ?? 0, pods };
};

test("a pod counts from the moment at which it is given a node", () => {
  const ledger = new Ledger();
  ledger.saw(undefined, unbound("a"));
  expect(load(ledger, "n")).toEqual({ cpu: 0, pods: 0 });
  ledger.assume(unbound("a"), "n", "asked", at(0));
  expect(load(ledger, "n")).toEqual({ cpu: 1_000, pods: 1 });
  ledger.saw(unbound("a"), on("n", unbound("a")));
  expect(load(ledger, "n")).toEqual({ cpu: 1_000, pods: 1 });
});

test("news of a pod that is on its way, and not yet bound, does not take it off again", () => {
  const ledger = new Ledger();
  ledger.assume(unbound("a"), "n", "asked", at(0));
  expect(ledger.saw(unbound("a"), unbound("a"))).toBe("nothing");
  expect(load(ledger, "n").pods).toBe(1);
});

test("one that is given up counts no more; one that the server has bound cannot be", () => {
  const ledger = new Ledger();
  ledger.assume(unbound("a"), "n", "asked", at(0));
  ledger.giveUp(unbound("a"));
  expect(load(ledger, "n")).toEqual({ cpu: 0, pods: 0 });
  ledger.saw(undefined, on("n", unbound("b")));
  ledger.giveUp(unbound("b"));
  ledger.assume(unbound("b"), "m", "asked", at(0));
  expect([load(ledger, "n").pods, load(ledger, "m").pods]).toEqual([1, 0]);
});

test("one that has finished, or is gone, makes room", () => {
  const ledger = new Ledger();
  expect(ledger.saw(undefined, on("n", unbound("a")))).toBe("company");
  expect(ledger.saw(on("n", unbound("a")), finished(on("n", unbound("a"))))).toBe("room");
  expect(ledger.saw(finished(on("n", unbound("a"))), undefined)).toBe("nothing");
  ledger.saw(undefined, on("n", unbound("b")));
  expect(ledger.saw(on("n", unbound("b")), undefined)).toBe("room");
  expect(load(ledger, "n")).toEqual({ cpu: 0, pods: 0 });
});

test("one that takes the name of another is another", () => {
  const ledger = new Ledger();
  ledger.saw(undefined, on("n", unbound("a")));
  ledger.saw(on("n", unbound("a")), unbound("b"));
  expect(load(ledger, "n").pods).toBe(0);
});

test("what a pod asks for may change while it runs", () => {
  const ledger = new Ledger();
  const before = on("n", unbound("a", "1"));
  const after = on("n", { ...unbound("a", "3"), metadata: { uid: "a", generation: 2 } });
  ledger.saw(undefined, before);
  ledger.saw(before, after);
  expect(load(ledger, "n")).toEqual({ cpu: 3_000, pods: 1 });
});

test("ports of the node are taken by containers and sidecars that ask for them", () => {
  const ports = [{ containerPort: 80 }, { containerPort: 53, hostPort: 53, protocol: "UDP", hostIP: "10.0.0.1" }];
  const it = pod({
    containers: [container("main", { ports })],
    initContainers: [
      container("side", { ports: [{ containerPort: 1, hostPort: 1 }], restartPolicy: "Always" }),
      container("init", { ports: [{ containerPort: 2, hostPort: 2 }] }),
    ],
  });
  expect(hostPorts(it)).toEqual([
    { ip: "0.0.0.0", protocol: "TCP", port: 1 },
    { ip: "10.0.0.1", protocol: "UDP", port: 53 },
  ]);
});

test("the running sum is what a count would find, whatever happens in whatever order", () => {
  const step = fc.record({
    uid: fc.constantFrom("a", "b", "c"),
    node: fc.constantFrom("n", "m"),
    does: fc.constantFrom("bind", "ask", "give up", "finish", "go"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const ledger = new Ledger();
      const known = new Map<string, Pod>();
      for (const { uid, node, does } of steps) {
        const old = known.get(uid);
        if (does === "ask" && (old === undefined || old.spec?.nodeName === undefined))
          ledger.assume(unbound(uid), node, "asked", at(0));
        if (does === "give up") ledger.giveUp(unbound(uid));
        if (does === "go") {
          ledger.saw(old ?? unbound(uid), undefined);
          known.delete(uid);
        }
        if (does === "bind" || does === "finish") {
          const bound = on(old?.spec?.nodeName ?? node, unbound(uid));
          const next = does === "finish" || old?.status?.phase === "Succeeded" ? finished(bound) : bound;
          ledger.saw(old, next);
          known.set(uid, next);
        }
      }
      for (const node of ["n", "m"]) {
        const there = [...ledger.placed()].filter((it) => it.node === node);
        expect(load(ledger, node)).toEqual({ cpu: 1_000 * there.length, pods: there.length });
      }
    }),
  );
});
