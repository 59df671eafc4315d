// Bindcar on a real BIND: the conformance suite, and what only a real server shows (sections 9, 10 and 16.10).
import { afterAll, beforeAll, describe, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { cases, type Subject } from "./bindcar-conformance.ts";
import { ask, type RealPod, startPod } from "./real-named.ts";

const path = bindFor("operators/bindy: Bindcar on a real BIND");

describe.skipIf(path === undefined)("A-136 Bindcar on a real BIND", () => {
  let pod: RealPod;
  beforeAll(async () => {
    pod = await startPod({ path: path ?? "" });
  });
  afterAll(() => pod?.stop());

  const subject: Subject = { nowhere: "127.0.0.1:9", ask: (method, path, body) => ask(pod, method, path, body) };
  for (const [i, { name, run }] of cases.entries()) it(name, () => run(subject, `zone${i}.example`));
});
