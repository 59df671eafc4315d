// The hooks of a machine's life: a request, a snapshot, or a command in the guest. A hook that fails is told of, and stops nothing.
import type { Ms } from "@telltale/kinds";
import { sanitize } from "@telltale/status";
import { VMSnapshot } from "../kinds/index.ts";
import { deadlines, guestDeadline } from "../link/deadlines.ts";
import type { Pass } from "./act.ts";
import { graceOf } from "./marks.ts";

/** Sends a request and gives the status of the answer. Refuses addresses that nobody may be sent to (7.4). */
export type HttpGet = (url: string, options: { readonly timeout: Ms; readonly signal: AbortSignal }) => Promise<number>;

export async function runHook(at: "preStop" | "postStart", pass: Pass): Promise<void> {
  const { world, hands } = pass;
  const handler = world.vm.spec.lifecycle?.[at];
  const failed = (why: string) => hands.event("Warning", "HookFailed", `${at}: ${why}`);
  try {
    if (handler?.httpGet !== undefined) await get(handler.httpGet, pass);
    else if (handler?.snapshot !== undefined) await snapshot(handler.snapshot, pass);
    else if (handler?.exec !== undefined) await exec(at, handler.exec.command, pass);
  } catch (error) {
    failed(sanitize(error, { max: 512, firstLineOnly: true, stable: true }));
  }
}

interface Get {
  readonly host?: string;
  readonly path?: string;
  readonly port: number;
  readonly scheme?: "HTTP" | "HTTPS";
}

async function get({ host, path = "", port, scheme = "HTTP" }: Get, { world, hands, tools }: Pass): Promise<void> {
  const to = host ?? world.held.ips?.[0];
  if (to === undefined) throw new Error("the machine has no address");
  const place = to.includes(":") ? `[${to}]` : to;
  const url = `${scheme.toLowerCase()}://${place}:${port}/${path.replace(/^\//, "")}`;
  const status = await tools.httpGet(url, { timeout: graceOf(world.vm), signal: hands.signal });
  if (status < 200 || status >= 400) throw new Error(`the answer was ${status}`);
}

interface Snap {
  readonly name: string;
  readonly description?: string;
  readonly includeMemory?: boolean;
}

async function snapshot({ name, description, includeMemory = false }: Snap, { world, hands }: Pass): Promise<void> {
  const { name: vm = "" } = world.vm.metadata;
  await hands.create(
    VMSnapshot,
    {
      metadata: { name: `${vm}-${name}-${Math.floor(hands.now / 1_000)}` },
      spec: {
        vmRef: { name: vm },
        snapshotConfig: { includeMemory, ...(description === undefined ? {} : { description }) },
      },
    },
    { owner: "none" },
  );
}

async function exec(at: string, command: readonly string[], { world, hands, link }: Pass): Promise<void> {
  const { signal } = hands;
  const { extensions } = await link.ask("getCapabilities", {}, { deadline: deadlines.getCapabilities, signal });
  if (!extensions.includes("guest-exec")) {
    hands.event("Warning", "HookUnsupported", `${at}: the provider runs no commands in guests`);
    return;
  }
  const timeout = graceOf(world.vm);
  const request = {
    vmId: world.held.id ?? "",
    command: [...command],
    timeoutSeconds: Math.ceil(timeout / 1_000),
  };
  const { exitCode } = await link.ask("guestExec", request, { deadline: guestDeadline(timeout), signal });
  if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}`);
}
