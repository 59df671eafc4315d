// Who is believed on either side of a wire with TLS, and what becomes of it when certificates change.
import { connect } from "node:tls";
import type { Issuer } from "@telltale/certificates";
import { VirtualClock } from "@telltale/clock";
import { describe, expect, it } from "vitest";
import type { SomeHandlers } from "../../src/sdk/index.ts";
import { readTlsSecret } from "../../src/wire/tls-secret.ts";
import {
  authority,
  errorOf,
  mounted,
  pausing,
  provider,
  remembering,
  secretOf,
  serving,
  until,
  wireTo,
  write,
} from "./stage.ts";

const deadline = 20_000;
const validate = async () => ({ ok: true });

interface LabOptions {
  readonly names?: readonly string[];
  readonly allowed?: readonly string[];
  readonly clock?: VirtualClock;
  readonly handlers?: SomeHandlers;
}

async function lab(issuer: Issuer, options: LabOptions = {}) {
  const { cert, key } = serving(issuer, options.names);
  const folder = mounted({ "tls.crt": cert, "tls.key": key, "ca.crt": issuer.cert });
  const { log, lines } = remembering();
  const security = { is: "mtls", folder, allowed: options.allowed ?? [] } as const;
  const { port } = await provider(options.handlers ?? { validate }, {
    security,
    log,
    ...(options.clock ? { clock: options.clock } : {}),
  });
  return { port, folder, lines };
}

describe("a provider with TLS", () => {
  it("answers who has a certificate of its authority, by TLS 1.3 alone", async () => {
    const issuer = authority();
    const { port } = await lab(issuer);
    expect(await wireTo(port, { tls: secretOf(issuer) }).ask("validate", {}, { deadline })).toMatchObject({ ok: true });
    const old = await new Promise((resolve) => {
      const socket = connect({ port, host: "127.0.0.1", maxVersion: "TLSv1.2", rejectUnauthorized: false });
      socket.once("secureConnect", () => resolve("connected")).once("error", (error) => resolve(error.message));
    });
    expect(old).toMatch(/alert protocol version/);
  });

  it("tells a stranger that it is one", async () => {
    const issuer = authority();
    const { port, lines } = await lab(issuer);
    const stranger = { ...secretOf(authority("another")), ca: issuer.cert };
    const error = await errorOf(wireTo(port, { tls: stranger }).ask("validate", {}, { deadline }));
    expect(error).toMatchObject({ code: "UNAUTHENTICATED" });
    expect(lines.join("\n")).toMatch(/warn a caller is refused .*UNAUTHENTICATED/);
  });

  it("has a list of who may call, where it is given one", async () => {
    const issuer = authority();
    const { port } = await lab(issuer, { allowed: ["manager", "spiffe://lab/manager"] });
    const ask = (name: string) => wireTo(port, { tls: secretOf(issuer, name) }).ask("validate", {}, { deadline });
    expect(await ask("manager")).toMatchObject({ ok: true });
    expect(await errorOf(ask("manager2"))).toMatchObject({ code: "PERMISSION_DENIED" });
  });

  it("serves a new certificate without a restart, and the old one while the new one is half written", async () => {
    const [issuer, clock] = [authority(), new VirtualClock()];
    const { port, folder, lines } = await lab(issuer, { names: ["old.name"], clock });
    const ask = (serverName: string) =>
      wireTo(port, { tls: secretOf(issuer), serverName }).ask("validate", {}, { deadline });
    expect(await ask("old.name")).toMatchObject({ ok: true });
    const next = serving(issuer, ["new.name"]);
    write(folder, { "tls.crt": next.cert });
    clock.advance(10_000);
    expect(lines.filter((line) => line.startsWith("error the new certificate cannot be used"))).toHaveLength(1);
    expect(await ask("old.name")).toMatchObject({ ok: true });
    write(folder, { "tls.key": next.key });
    clock.advance(10_000);
    expect(await ask("new.name")).toMatchObject({ ok: true });
  });
});

describe("a wire with TLS", () => {
  const refused = async (port: number, target: Parameters<typeof wireTo>[1]) => {
    const clock = new VirtualClock();
    const call = errorOf(wireTo(port, target, { clock }).ask("validate", {}, { deadline }));
    await pausing(clock);
    clock.advance(deadline);
    return call;
  };

  it("believes only who speaks for the name, wherever it is reached", async () => {
    const issuer = authority();
    const { port } = await lab(issuer, { names: ["somebody.else"] });
    const error = await refused(port, { tls: secretOf(issuer) });
    expect(error).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
    expect(error.message).toMatch(/Hostname\/IP does not match certificate's altnames/);
  });

  it("believes only whom its own authority signed", async () => {
    const issuer = authority();
    const { port } = await lab(issuer);
    const error = await refused(port, { tls: { ...secretOf(issuer), ca: authority("another").cert } });
    expect(error).toMatchObject({ code: "UNAVAILABLE", isUnsent: true });
    expect(error.message).toMatch(/unable to verify|self-signed|unable to get local issuer/);
  });

  it("believes anybody when told so, and warns of each new connection", async () => {
    const issuer = authority();
    const { port } = await lab(issuer, { names: ["somebody.else"] });
    const { log, lines } = remembering();
    const wire = wireTo(port, { tls: secretOf(issuer), insecureSkipVerify: true }, { log });
    for (const isLong of [false, false, true]) await wire.ask("validate", {}, { deadline, isLong });
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^warn a provider's certificate is not verified/);
  });

  it("S21 client certificate rotated: a new wire uses the new one, and a call on the old one still ends", async () => {
    const issuer = authority();
    let [begun, release] = [0, () => {}];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const describe = async () => {
      begun += 1;
      await held;
      return { exists: true };
    };
    const { port } = await lab(issuer, { handlers: { validate, describe } });
    const first = wireTo(port, { tls: secretOf(issuer, "manager", "1") });
    const underway = first.ask("describe", { id: "a" }, { deadline });
    await until(() => begun === 1);
    first.close();
    const turnedAway = await errorOf(first.ask("validate", {}, { deadline }));
    expect(turnedAway).toMatchObject({ code: "CANCELLED", isUnsent: true });
    const second = wireTo(port, { tls: secretOf(issuer, "manager", "2") });
    expect(await second.ask("validate", {}, { deadline })).toMatchObject({ ok: true });
    release();
    expect(await underway).toMatchObject({ exists: true });
  });

  it("that is closed in the moment of a call says that nothing was sent", async () => {
    const issuer = authority();
    const { port } = await lab(issuer);
    const wire = wireTo(port, { tls: secretOf(issuer) });
    await wire.ask("validate", {}, { deadline });
    const call = errorOf(wire.ask("validate", {}, { deadline }));
    wire.close();
    expect(await call).toMatchObject({ code: "CANCELLED", isUnsent: true });
  });

  it("says at once that a Secret holds no certificate", async () => {
    const tls = { cert: "none", key: "none", ca: "none", resourceVersion: "1" };
    const error = await errorOf(wireTo(1, { tls }).ask("validate", {}, { deadline }));
    expect(error).toMatchObject({ code: "UNAUTHENTICATED", isUnsent: true });
    expect(error.message).toMatch(/^the provider's TLS Secret cannot be used: /);
  });
});

describe("a TLS Secret", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64("c"), "tls.key": base64("k"), "ca.crt": base64("a") };
  const metadata = { name: "lab-tls", resourceVersion: "7" };

  it("has three keys, whichever of its two types it is", () => {
    for (const type of ["kubernetes.io/tls", "Opaque"]) {
      expect(readTlsSecret({ metadata, type, data })).toEqual({
        is: "usable",
        tls: { cert: "c", key: "k", ca: "a", resourceVersion: "7" },
      });
    }
  });

  it("that lacks some is told which", () => {
    const why = "TLS Secret lab-tls has no tls.key, ca.crt";
    expect(readTlsSecret({ metadata, data: { "tls.crt": data["tls.crt"], "ca.crt": "" } })).toEqual({
      is: "unusable",
      why,
    });
    expect(readTlsSecret({ metadata, type: "kubernetes.io/dockerconfigjson", data })).toMatchObject({ is: "unusable" });
  });
});
