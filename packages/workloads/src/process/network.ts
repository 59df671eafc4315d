// Where the programs of a pod listen: an address of its own where the system has many on loopback, and a port for each that
// its containers declare.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { fnv1a32 } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { codeOf } from "./refusal.ts";
import { type Container, membersOf } from "./spec.ts";

export type AddressMode =
  | "own" // each pod has one of 127.0.0.0/8: Linux
  | "shared"; // all are on 127.0.0.1, on ports that were free

export interface Network {
  readonly ip: string;
  /** The port to listen on, by containerPort. */
  readonly ports: ReadonlyMap<number, number>;
  /** Whether ports that nobody declared can be reached as they are. */
  readonly isOwn: boolean;
}

export const hostAddress = "127.0.0.1";

export class Networks {
  readonly #mode: AddressMode;
  readonly #byPod = new Map<string, Network>();

  constructor(mode: AddressMode) {
    this.#mode = mode;
  }

  /** The pod's addresses: those that it had, if nobody else has them now. */
  async of(pod: Pod, before: Network | undefined): Promise<Network> {
    const uid = pod.metadata?.uid ?? "";
    const there = this.#byPod.get(uid);
    if (there !== undefined) return there;
    const inUse = [...this.#byPod.values()];
    const isHost = pod.spec?.hostNetwork === true;
    if (before !== undefined && (isHost || !inUse.some((other) => overlaps(before, other)))) {
      this.#byPod.set(uid, before);
      return before;
    }
    const isOwn = !isHost && this.#mode === "own";
    const ip = isOwn ? freeAddress(uid, new Set(inUse.map((other) => other.ip))) : hostAddress;
    const taken = new Set(inUse.filter((other) => other.ip === ip).flatMap(({ ports }) => [...ports.values()]));
    const ports = new Map<number, number>();
    for (const port of declaredPorts(pod)) {
      const isAsGiven = isHost || (isOwn && (port >= 1024 || (await canListen(ip, port))));
      ports.set(port, isAsGiven ? port : await freePort(ip, taken));
      taken.add(ports.get(port) ?? port);
    }
    const made = { ip, ports, isOwn: isOwn || isHost };
    this.#byPod.set(uid, made);
    return made;
  }

  release(uid: string): void {
    this.#byPod.delete(uid);
  }
}

/** Where a port of a container is, by number or name. */
export function addressOf(
  { ip, ports }: Network,
  container: Container | undefined,
  port: number | string,
): { readonly host: string; readonly port: number } {
  const named = container?.ports?.find(({ name }) => name === port)?.containerPort;
  const number = typeof port === "number" ? port : (named ?? Number(port));
  if (!Number.isInteger(number)) throw new Error(`container ${container?.name} has no port named "${port}"`);
  return { host: ip, port: ports.get(number) ?? number };
}

export function networkJson({ ip, ports, isOwn }: Network): unknown {
  return { ip, ports: [...ports], isOwn };
}

export function networkOf(value: unknown): Network | undefined {
  const found = value as { ip?: unknown; ports?: unknown; isOwn?: unknown } | null;
  if (typeof found?.ip !== "string" || !Array.isArray(found.ports) || typeof found.isOwn !== "boolean")
    return undefined;
  const ports = found.ports.flatMap((pair: unknown) => {
    const [port, to] = Array.isArray(pair) ? pair : [];
    return typeof port === "number" && typeof to === "number" ? [[port, to] as const] : [];
  });
  return { ip: found.ip, ports: new Map(ports), isOwn: found.isOwn };
}

function overlaps(a: Network, b: Network): boolean {
  if (a.ip !== b.ip) return false;
  const theirs = new Set(b.ports.values());
  return a.ip !== hostAddress || [...a.ports.values()].some((port) => theirs.has(port));
}

function declaredPorts(pod: Pod): readonly number[] {
  const all = membersOf(pod).flatMap(({ container }) => container.ports ?? []);
  const valid = all.map(({ containerPort }) => containerPort).filter((port) => port >= 1 && port <= 65_535);
  return [...new Set(valid)];
}

/** Of 127.1.0.1 to 127.254.254.254; the same for the same pod, as far as it is free. */
function freeAddress(uid: string, taken: ReadonlySet<string>): string {
  const perOctet = 254;
  const most = perOctet ** 3;
  const first = fnv1a32(uid) % most;
  for (let step = 0; step < most; step += 1) {
    const at = (first + step) % most;
    const octets = [Math.floor(at / perOctet ** 2), Math.floor(at / perOctet), at].map((n) => (n % perOctet) + 1);
    const address = `127.${octets.join(".")}`;
    if (!taken.has(address)) return address;
  }
  throw new Error("every address of 127.0.0.0/8 is taken by a pod; delete some pods");
}

async function freePort(ip: string, taken: ReadonlySet<number>): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await listened(ip, 0);
    if (typeof port === "number" && !taken.has(port) && (await canListen(ip, port))) return port;
  }
  throw new Error(`found no free port on ${ip}; end some of the programs that listen there`);
}

/** For TCP and UDP: a port may be declared for either. */
async function canListen(ip: string, port: number): Promise<boolean> {
  if (typeof (await listened(ip, port)) !== "number") return false;
  const socket = createSocket("udp4");
  try {
    socket.bind({ address: ip, port, exclusive: true });
    await once(socket, "listening");
    return true;
  } catch {
    return false;
  } finally {
    await new Promise<void>((done) => socket.close(done));
  }
}

/** The port that a server got, or why it got none. */
async function listened(ip: string, port: number): Promise<number | string> {
  const server = createServer();
  try {
    server.listen({ host: ip, port, exclusive: true });
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : "no address";
  } catch (error) {
    return codeOf(error) ?? "unknown";
  } finally {
    if (server.listening) await new Promise<void>((done) => void server.close(() => done()));
  }
}
