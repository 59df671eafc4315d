// What the tests of the wire share: a provider on a loopback port, a way to it, certificates, and a log that remembers.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Issued, type Issuer, newIssuer } from "@telltale/certificates";
import { systemClock, systemRandom, turn, type VirtualClock } from "@telltale/clock";
import type { Fields, Log } from "@telltale/runtime";
import { onTestFinished } from "vitest";
import { RpcError } from "../../src/contract/rpc-error.ts";
import { type Served, type ServeOptions, type SomeHandlers, serve } from "../../src/sdk/index.ts";
import { type GrpcOptions, grpcDial } from "../../src/wire/grpc.ts";
import type { Target, TlsSecret, Wire } from "../../src/wire/wire.ts";

export const serverName = "virtrigaud-provider-vms-lab.vms.svc.cluster.local";
const day = 86_400_000;

/** Served until the test ends. */
export async function provider(handlers: SomeHandlers, options: Partial<ServeOptions> = {}): Promise<Served> {
  const standard = {
    security: { is: "plaintext" },
    listen: "127.0.0.1",
    port: 0,
    healthPort: 0,
    version: "1",
  } as const;
  const served = await serve(handlers, { ...standard, clock: systemClock, log: remembering().log, ...options });
  onTestFinished(() => served.stop());
  return served;
}

export function wireTo(port: number, target: Partial<Target> = {}, options: Partial<GrpcOptions> = {}): Wire {
  const dial = grpcDial({ clock: systemClock, random: systemRandom, log: remembering().log, ...options });
  const wire = dial({ endpoint: `127.0.0.1:${port}`, serverName, connectTimeout: 5_000, ...target });
  onTestFinished(() => wire.close());
  return wire;
}

/** What a call threw: every error of a wire is an `RpcError`. */
export async function errorOf(call: Promise<unknown>): Promise<RpcError> {
  const thrown = await call.then(
    () => "an answer",
    (error: unknown) => error,
  );
  if (thrown instanceof RpcError) return thrown;
  throw new Error(`no RpcError, but ${thrown}`, { cause: thrown });
}

/** Turns of the event loop until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await turn();
}

/** The wire waits before it tries to connect again. */
export const pausing = (clock: VirtualClock): Promise<void> =>
  until(() => (clock.next() ?? Number.POSITIVE_INFINITY) - clock.now() <= 300);

export function authority(name = "authority"): Issuer {
  return newIssuer({ clock: systemClock, random: systemRandom }, { name, lasts: day });
}

export const serving = (issuer: Issuer, names: readonly string[] = [serverName]): Issued =>
  issuer.server({ name: "provider", names, lasts: day });

/** What a manager has in the provider's Secret. */
export function secretOf(issuer: Issuer, name = "manager", version = "1"): TlsSecret {
  return { ...issuer.client({ name, lasts: day }), ca: issuer.cert, resourceVersion: version };
}

/** A folder as Kubernetes mounts it. */
export function mounted(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "telltale-tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  write(folder, files);
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

export function remembering(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const say =
    (level: string) =>
    (message: string, fields: Fields = {}) =>
      void lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error"), with: () => log };
  return { log, lines };
}
