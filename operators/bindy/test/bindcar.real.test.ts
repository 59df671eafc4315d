// Bindcar on a real BIND: the conformance suite, and what only a real server shows (sections 9, 10 and 16.10).
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sleep, systemClock } from "@telltale/clock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bindFor } from "../../../tools/bind/bind.ts";
import { cases, primary, type Subject, secondary } from "./bindcar-conformance.ts";
import { attacks } from "./hostile.ts";
import { fields } from "./injection.ts";
import { ask, namedLog, type RealPod, startPod } from "./real-named.ts";

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

describe.skipIf(path === undefined)("two pods of a real BIND", () => {
  let one: RealPod;
  let two: RealPod;
  beforeAll(async () => {
    [one, two] = [await startPod({ path: path ?? "" }), await startPod({ path: path ?? "" })];
  });
  afterAll(async () => {
    await one?.stop();
    await two?.stop();
  });

  it("A-120 a secondary transfers the zone and follows its changes", async () => {
    const config = { alsoNotify: [`127.0.0.1:${two.dns.port}`], allowTransfer: ["127.0.0.1"] };
    expect((await ask(one, "POST", "/zones", primary("a120.example", config))).status).toBe(201);
    const from = [`127.0.0.1:${one.dns.port}`];
    expect((await ask(two, "POST", "/zones", secondary("a120.example", from))).status).toBe(201);
    const serial = async () => (await ask(two, "GET", "/zones/a120.example")).body["serial"];
    await expect.poll(serial, { timeout: 30_000, interval: 200 }).toBe(2025010101);
    const changes = [{ name: "www.a120.example.", type: "A", ttl: 60, values: ["192.0.2.99"] }];
    await ask(one, "PUT", "/zones/a120.example/rrsets", { serial: 2025010102, changes });
    await expect.poll(serial, { timeout: 30_000, interval: 200 }).toBe(2025010102);
    expect(await two.dig("+short", "www.a120.example", "A")).toBe("192.0.2.99");
    expect((await ask(two, "GET", "/zones/a120.example/rrsets")).body).toMatchObject({ serial: 2025010102 });
  });

  it("A-128 texts come back exactly as they are", async () => {
    await ask(one, "POST", "/zones", primary("a128.example"));
    const values = ['"v=DKIM1; k=rsa; p=\\"x\\""', `"${"a".repeat(255)}" "${"b".repeat(255)}" "${"c".repeat(90)}"`];
    const changes = [{ name: "t.a128.example.", type: "TXT", ttl: 60, values }];
    expect((await ask(one, "PUT", "/zones/a128.example/rrsets", { serial: 2025010102, changes })).status).toBe(200);
    const lines = (await one.dig("+short", "+tcp", "t.a128.example", "TXT")).split("\n");
    expect(lines.sort()).toEqual([...values].sort());
  });

  it("A-131 files and journal are gone with their zone, and it is REFUSED", async () => {
    await ask(one, "POST", "/zones", primary("a131.example"));
    const changes = [{ name: "x.a131.example.", type: "A", ttl: 60, values: ["192.0.2.1"] }];
    await ask(one, "PUT", "/zones/a131.example/rrsets", { serial: 2025010102, changes });
    const files = async () => (await readdir(join(one.folder, "zones"))).filter((name) => name.startsWith("a131"));
    expect(await files()).toContain("a131.example.zone");
    expect((await ask(one, "DELETE", "/zones/a131.example")).status).toBe(200);
    expect(await files()).toEqual([]);
    expect(await one.dig("x.a131.example", "A")).toContain("status: REFUSED");
  });

  it("A-143 attack strings change nothing of what named serves, and leave no file", async () => {
    await ask(one, "POST", "/zones", primary("there.example"));
    const state = async () => [
      await one.rndc("showzone", "there.example"),
      (await readdir(join(one.folder, "zones"))).sort(),
    ];
    const before = await state();
    for (const [i, { at, request }] of fields.entries()) {
      // Every field, and over all of them every string: the whole product runs without named.
      const attack = attacks[i % attacks.length] ?? "";
      const [method, path, body] = request(attack);
      const { status } = await ask(one, method, path, body);
      expect([at, attack, status === 400 || status === 422]).toEqual([at, attack, true]);
    }
    expect(await state()).toEqual(before);
  });

  it("A-144 A-145 neither the key nor the token is in a log, a metric, an argument or a variable of a child", async () => {
    await ask(one, "POST", "/zones", primary("a145.example"));
    const seen = new Set<string>();
    let isOver = false;
    const watched = (async () => {
      while (!isOver) {
        for (const text of children()) seen.add(text);
        await sleep(systemClock, 1);
      }
    })();
    for (let i = 2; i < 8; i += 1) {
      const changes = [{ name: "x.a145.example.", type: "A", ttl: 60, values: [`192.0.2.${i}`] }];
      await ask(one, "PUT", "/zones/a145.example/rrsets", { serial: 2025010100 + i, changes });
    }
    isOver = true;
    await watched;
    expect([...seen].some((text) => text.includes("nsupdate") || text.includes("rndc") || text.includes("dig"))).toBe(
      true,
    );
    const metrics = await (await fetch(`${one.url}/metrics`)).text();
    const all = [...seen, ...one.log, metrics, await namedLog(one)].join("\n");
    expect(one.secret.length).toBeGreaterThan(20);
    expect([all.includes(one.secret), all.includes(one.token)]).toEqual([false, false]);
  });

  it("15 a zone of 2,000 RRsets is made in one request, and read in one", async () => {
    const records = Array.from({ length: 2_000 }, (_, i) => ({
      name: `h${i}`,
      type: "A",
      value: `10.0.${i >> 8}.${i & 255}`,
    }));
    expect((await ask(one, "POST", "/zones", primary("big.example", { records }))).status).toBe(201);
    const { body } = await ask(one, "GET", "/zones/big.example/rrsets");
    expect((body["rrsets"] as readonly unknown[]).length).toBe(2_003);
  });

  it("A-121 zones survive a restart, and without their storage they are REFUSED and 404, never NXDOMAIN", async () => {
    await ask(two, "POST", "/zones", primary("a121.example"));
    await two.restart("kept");
    expect(await two.dig("+short", "www.a121.example", "A")).toBe("192.0.2.10");
    await two.restart("wiped");
    expect(await two.dig("www.a121.example", "A")).toContain("status: REFUSED");
    expect((await ask(two, "GET", "/zones/a121.example/status")).status).toBe(404);
    expect((await ask(two, "POST", "/zones", primary("a121.example"))).status).toBe(201);
    expect(await two.dig("+short", "www.a121.example", "A")).toBe("192.0.2.10");
  });
});

describe("the program", () => {
  const main = fileURLToPath(new URL("../src/bindcar-server/main.ts", import.meta.url));
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    spawnSync(process.execPath, [main, ...args], { env, encoding: "utf8" });

  it("says what it is for, and what is wrong with its environment", () => {
    expect(run(["--help"])).toMatchObject({ status: 0, stdout: expect.stringContaining("RNDC_KEY_FILE") });
    expect(run(["--what"])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("bindcar --help says what there is"),
    });
    const open = run([], { RNDC_SECRET: "c2VjcmV0", DISABLE_AUTH: "true" });
    expect(open).toMatchObject({ status: 1, stderr: expect.stringContaining("authentication is switched off") });
    expect(run(["--check"], { RNDC_SECRET: "c2VjcmV0", BIND_API_TOKEN: "t" }).status).toBe(0);
  });
});

/** Arguments and variables of the processes that this one has started. */
function children(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        if (parent !== process.pid) return [];
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8"), readFileSync(`/proc/${pid}/environ`, "utf8")];
      } catch {
        return [];
      }
    });
}
