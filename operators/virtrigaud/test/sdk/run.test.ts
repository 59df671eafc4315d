// A provider as a program, from its flags to its end; and the example of the SDK's README as one.
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { PowerOp } from "../../src/contract/contract.ts";
import { type Place, type Program, runProvider } from "../../src/sdk/index.ts";
import { authority, errorOf, mounted, secretOf, serving, until, wireTo } from "../wire/stage.ts";
import { program } from "./readme.example.ts";

const deadline = 20_000;
const insecure = { VIRTRIGAUD_PROVIDER_INSECURE: "true" };
const anywhere = ["--port=0", "--health-port=0", "--listen=127.0.0.1"];

/** Runs a program as a pod does, and says what it printed. */
function start(of: Program, place: Place) {
  const printed = { out: "", err: "" };
  const end = new AbortController();
  const code = runProvider(of, {
    env: {},
    tlsFolder: "/nowhere/tls",
    signal: end.signal,
    out: (text) => {
      printed.out += text;
    },
    err: (text) => {
      printed.err += text;
    },
    ...place,
  });
  const stop = () => {
    end.abort();
    return code;
  };
  onTestFinished(() => void stop());
  const port = async () => {
    await until(() => /port"?[=:]\d+/.test(printed.out));
    return Number(/port"?[=:](\d+)/.exec(printed.out)?.[1]);
  };
  return { printed, code, stop, port };
}

describe("a provider's program", () => {
  it("is the one of the README, and works", async () => {
    const readme = readFileSync(new URL("../../src/sdk/README.md", import.meta.url), "utf8");
    expect(readme).toContain(readFileSync(new URL("./readme.example.ts", import.meta.url), "utf8"));
    const { printed, stop, port } = start(program, { args: [...anywhere, "--prefix=vm-"], env: insecure });
    const wire = wireTo(await port());
    expect(await wire.ask("create", { name: "web" }, { deadline })).toMatchObject({ id: "vm-web" });
    expect(await errorOf(wire.ask("create", { name: "web" }, { deadline }))).toMatchObject({ code: "ALREADY_EXISTS" });
    await wire.ask("power", { id: "vm-web", op: PowerOp.ON }, { deadline });
    expect(await wire.ask("describe", { id: "vm-web" }, { deadline })).toMatchObject({
      exists: true,
      powerState: "On",
    });
    expect(await errorOf(wire.ask("power", { id: "x" }, { deadline }))).toMatchObject({ code: "NOT_FOUND" });
    await wire.ask("delete", { id: "vm-web" }, { deadline });
    expect(await wire.ask("validate", {}, { deadline })).toMatchObject({ ok: true, message: "0 machines" });
    expect(await stop()).toBe(0);
    expect(printed.out).toMatch(/^\S+Z WARN {2}calls are taken in plaintext/m);
    expect(printed.out).toMatch(/^\S+Z INFO {2}a machine was made id="vm-web"$/m);
    expect(printed.out).toMatch(/the provider has stopped\n$/);
  });

  it("takes calls by TLS when the files are there, and logs as it is told", async () => {
    const issuer = authority();
    const { cert, key } = serving(issuer);
    const tlsFolder = mounted({ "tls.crt": cert, "tls.key": key, "ca.crt": issuer.cert });
    const env = { LOG_FORMAT: "json", LOG_LEVEL: "debug", VIRTRIGAUD_PROVIDER_ALLOWED_SANS: "manager" };
    const { printed, stop, port } = start(program, { args: anywhere, tlsFolder, env });
    const wire = wireTo(await port(), { tls: secretOf(issuer) });
    expect(await wire.ask("validate", {}, { deadline })).toMatchObject({ ok: true });
    expect(await stop()).toBe(0);
    const lines = printed.out.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).msg)).toContain("answered");
  });

  it("does not start where nobody has decided about TLS", async () => {
    const { printed, code } = start(program, { args: anywhere });
    expect(await code).toBe(1);
    expect(printed.err).toMatch(/^provider-memory: there is no TLS in \/nowhere\/tls; put/);
    expect(printed.out).toBe("");
  });

  it("says what it is, and what it takes", async () => {
    const version = start(program, { args: ["--version"] });
    expect([await version.code, version.printed.out]).toEqual([0, "provider-memory 0.1.0\n"]);
    const help = start(program, { args: ["--help"] });
    expect(await help.code).toBe(0);
    for (const flag of ["port", "health-port", "listen", "prefix", "version"]) {
      expect(help.printed.out).toContain(`--${flag} `);
    }
  });

  it("refuses flags and settings that it does not understand", async () => {
    const wrong: readonly [Place, RegExp][] = [
      [{ args: ["--colour=red"] }, /Unknown option '--colour'/],
      [{ args: ["--port=many"] }, /--port is "many"; set it to a port/],
      [{ args: ["--health-port=65536"] }, /--health-port is "65536"/],
      [{ args: anywhere, env: { ...insecure, LOG_LEVEL: "loud" } }, /LOG_LEVEL.*debug, info, warn, error/],
    ];
    for (const [place, why] of wrong) {
      const { printed, code } = start(program, place);
      expect(await code).toBe(1);
      expect(printed.err).toMatch(why);
    }
  });

  it("ends what it has begun when its port is taken", async () => {
    let hasStopped = false;
    const stop = async () => {
      hasStopped = true;
    };
    const first = start(program, { args: anywhere, env: insecure });
    const taken = await first.port();
    const second = start(
      { ...program, start: async () => ({ handlers: {}, stop }) },
      { args: ["--listen=127.0.0.1", `--port=${taken}`, "--health-port=0"], env: insecure },
    );
    expect(await second.code).toBe(1);
    expect(second.printed.err).toContain(`cannot listen on port ${taken}: somebody else listens there`);
    expect(hasStopped).toBe(true);
  });
});
