// A host on which a provider dies: before its n-th act from now, and with it everything that it could still do. What it has begun
// outside goes on, as after kill -9.
import type { Host } from "../../src/qemu/host.ts";

export class Died extends Error {}

export interface Mortal {
  readonly host: Host;
  /** From now on: it dies before its n-th act. */
  dieBefore(n: number): void;
  readonly isDead: boolean;
  /** How many acts there were since then, and what the last one was. */
  readonly acts: readonly string[];
}

export function mortal(host: Host): Mortal {
  let left = Number.POSITIVE_INFINITY;
  let isDead = false;
  let acts: string[] = [];
  const sockets = new Set<{ destroy(): unknown }>();
  const act = (what: string): void => {
    if (!isDead && left > 0) {
      left--;
      acts.push(what);
      return;
    }
    isDead = true;
    for (const socket of sockets) socket.destroy();
    throw new Died(what);
  };
  const before =
    <A extends unknown[], R>(name: string, real: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      act(name);
      const result = await real(...args);
      // What comes back to a dead provider comes back to nobody.
      if (isDead) throw new Died(name);
      return result;
    };
  return {
    host: {
      clock: host.clock,
      random: host.random,
      free: host.free,
      write: before("write", host.write),
      folder: before("folder", host.folder),
      rename: before("rename", host.rename),
      symlink: before("symlink", host.symlink),
      remove: before("remove", host.remove),
      run: before("run", host.run),
      launch: before("launch", host.launch),
      kill: before("kill", host.kill),
      async connect(path) {
        if (isDead) throw new Died("connect");
        const socket = await host.connect(path);
        sockets.add(socket);
        const write = socket.write.bind(socket);
        socket.write = (bytes: string | Uint8Array) => {
          try {
            act(`say ${String(bytes).slice(0, 60)}`);
          } catch {
            return false;
          }
          return write(bytes);
        };
        return socket;
      },
    },
    dieBefore(n) {
      left = n;
      acts = [];
    },
    get isDead() {
      return isDead;
    },
    get acts() {
      return acts;
    },
  };
}
