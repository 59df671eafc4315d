import { VirtualClock } from "@telltale/clock";
import type { Secret } from "@telltale/kinds/builtin";
import { expect, test } from "vitest";
import type { KeyReference } from "./client.ts";
import { secretKeys } from "./keys.ts";

const reference: KeyReference = { namespace: "dns", secret: "s", field: "secret", name: "k", algorithm: "hmac-sha256" };
const secretOf = (text: string): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "dns" },
  data: { secret: Buffer.from(text).toString("base64") },
});

function keysOf(...answers: readonly (Secret | undefined)[]) {
  const clock = new VirtualClock();
  let reads = 0;
  const read = async () => answers[Math.min(reads++, answers.length - 1)];
  const keys = secretKeys({ read, clock });
  return { clock, keys, reads: () => reads, get: async () => (await keys.get(reference))?.secret.reveal() };
}

test("a key is read from its Secret, and held for a minute", async () => {
  const it = keysOf(secretOf("b25l\n"), secretOf("dHdv"));
  expect([await it.get(), await it.get(), it.reads()]).toEqual(["b25l", "b25l", 1]);
  await it.clock.settle(60_000);
  expect(await it.get()).toBe("dHdv");
});

test("a key that was refused is read again", async () => {
  const it = keysOf(secretOf("b25l"), secretOf("dHdv"));
  await it.get();
  it.keys.forget(reference);
  expect(await it.get()).toBe("dHdv");
});

test("what is not there, or has no key, is none, and is not remembered", async () => {
  const it = keysOf(undefined, secretOf(""), secretOf("b25l"));
  expect([await it.get(), await it.get(), await it.get()]).toEqual([undefined, undefined, "b25l"]);
});
