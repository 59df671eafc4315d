// Secrets are read by their names, seldom, and what is known of them goes with their Provider.
import { type Instant, instant, type KubeObject, plus } from "@telltale/kinds";
import type { Look } from "@telltale/runtime";
import { beforeEach, describe, expect, test } from "vitest";
import { providerSpec } from "../test/stage.ts";
import { Provider } from "./kinds/index.ts";
import { KnownSecrets } from "./known-secrets.ts";

const start = instant(Date.UTC(2026, 0, 1));
const base64 = (text: string) => Buffer.from(text).toString("base64");
const pem = (cert: string) => ({ "tls.crt": base64(cert), "tls.key": base64("k"), "ca.crt": base64("ca") });

let now: Instant;
let stored: Map<string, KubeObject & { readonly data: object }>;
let asked: string[];
let known: KnownSecrets;
beforeEach(() => {
  [now, stored, asked, known] = [start, new Map(), [], new KnownSecrets()];
});

const look = (): Pick<Look, "live" | "now"> => ({
  now,
  live: async (_kind, { namespace, name }) => {
    asked.push(`${namespace}/${name}`);
    return stored.get(`${namespace}/${name}`) as never;
  },
});
const store = (name: string, data: object) =>
  stored.set(`demo/${name}`, { metadata: { name, namespace: "demo" }, data });
const pass = (seconds: number) => {
  now = plus(now, 1_000 * seconds);
};
const provider = (name: string, secret = `${name}-tls`): Provider => ({
  apiVersion: Provider.apiVersion,
  kind: "Provider",
  metadata: { name, namespace: "demo", uid: name },
  spec: { ...providerSpec, runtime: { image: "i", service: { tls: { secretRef: { name: secret } } } } },
});
const certOf = async (name: string, secret?: string) => {
  const tls = await known.of(provider(name, secret), look());
  return tls.is === "secret" ? tls.secret.cert : tls.is;
};

describe("a TLS Secret", () => {
  test("is read once a minute, however often its provider is asked", async () => {
    store("box-tls", pem("c1"));
    for (let second = 0; second < 600; second += 1) {
      await Promise.all([certOf("box"), certOf("box")]);
      pass(1);
    }
    // Two at once find nothing the first time.
    expect(asked).toHaveLength(11);
  });

  test("that was changed is used within a minute, and one that is made within ten seconds", async () => {
    expect(await certOf("box")).toBe("missing");
    store("box-tls", pem("c1"));
    pass(10);
    expect(await certOf("box")).toBe("c1");
    store("box-tls", pem("c2"));
    pass(60);
    expect(await certOf("box")).toBe("c2");
    stored.clear();
    pass(60);
    expect(await certOf("box")).toBe("missing");
  });

  test("that another one replaces in the spec is not used any more", async () => {
    store("box-tls", pem("c1"));
    store("new-tls", pem("c2"));
    expect([await certOf("box"), await certOf("box", "new-tls")]).toEqual(["c1", "c2"]);
  });

  test("is not kept of a Provider that is gone, also where it is being read meanwhile", async () => {
    store("box-tls", pem("c1"));
    await certOf("box");
    known.forget("demo", "box");
    const reading = certOf("box");
    known.forget("demo", "box");
    expect(await reading).toBe("c1");
    store("box-tls", pem("c2"));
    expect(await certOf("box")).toBe("c2");
    expect(asked).toHaveLength(3);
  });

  test("that cannot be read is an error, and is read again at once", async () => {
    store("box-tls", pem("c1"));
    await certOf("box");
    pass(60);
    const refused = { ...look(), live: () => Promise.reject(new Error("403")) };
    await expect(known.of(provider("box"), refused)).rejects.toThrow("403");
    await certOf("box");
    expect(asked).toHaveLength(2);
  });

  test("of a thousand providers: ten a second are read, not a thousand a minute at once", async () => {
    for (let n = 0; n < 1_000; n += 1) store(`p${n}-tls`, pem("c"));
    const round = async () => {
      for (let n = 0; n < 1_000; n += 1) await certOf(`p${n}`);
    };
    await round();
    asked = [];
    for (let half = 0; half < 20; half += 1) {
      pass(30);
      await round();
    }
    expect(asked.length).toBeLessThanOrEqual(600 * 10);
    expect(asked.length).toBeGreaterThanOrEqual(5_000);
  });
});

describe("any other Secret", () => {
  test("is looked for once a minute while it is there, and every ten seconds while it is not", async () => {
    const has = () => known.has({ namespace: "demo", name: "login" }, look());
    for (let second = 0; second < 60; second += 1, pass(1)) expect(await has()).toBe(false);
    expect(asked).toHaveLength(6);
    store("login", { password: "x" });
    for (let second = 0; second < 600; second += 1, pass(1)) expect(await has()).toBe(true);
    expect(asked).toHaveLength(16);
  });

  test("that a thousand machines wait for is looked for once in ten seconds, and a thousand of them ten times a second", async () => {
    for (let n = 0; n < 1_000; n += 1) await known.has({ namespace: "demo", name: "shared" }, look());
    expect(asked).toHaveLength(1);
    for (let minute = 0; minute < 10; minute += 1, pass(60)) {
      for (let n = 0; n < 1_000; n += 1) await known.has({ namespace: "demo", name: `own-${n}` }, look());
    }
    expect(asked.length).toBeLessThanOrEqual(6_001);
  });

  test("that nobody asks for any more is forgotten", async () => {
    store("login", {});
    await known.has({ namespace: "demo", name: "login" }, look());
    pass(120);
    await known.has({ namespace: "demo", name: "other" }, look());
    pass(120);
    await known.has({ namespace: "demo", name: "third" }, look());
    now = start;
    // Where it were still kept, it would count at this time.
    await known.has({ namespace: "demo", name: "login" }, look());
    expect(asked).toEqual(["demo/login", "demo/other", "demo/third", "demo/login"]);
  });
});
