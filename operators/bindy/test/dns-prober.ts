// Somebody who asks a name server without a pause while its zones change.
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface Answer {
  readonly name: string;
  /** NOERROR is 0, NXDOMAIN 3, REFUSED 5. */
  readonly rcode: number;
  readonly addresses: readonly string[];
  /** What was known to be there when the question was sent. */
  readonly known: string | undefined;
}

export interface ProberFindings {
  /** How many were answered. */
  readonly count: number;
  /** Those that are not one address, or an older one than was known: the first hundred of them. */
  readonly wrong: readonly Answer[];
}

export type ProberOrder =
  | { readonly is: "know"; readonly name: string; readonly address: string }
  | { readonly is: "stop" };

export interface DnsProber {
  /** From now on nothing older may be answered. */
  know(name: string, address: string): void;
  stop(): Promise<ProberFindings>;
}

const program = fileURLToPath(new URL("./dns-prober-program.ts", import.meta.url));

export async function dnsProber(port: number, names: readonly string[]): Promise<DnsProber> {
  const child = fork(program, [String(port), ...names]);
  const order = (it: ProberOrder) => void (child.connected && child.send(it));
  await once(child, "message");
  let stopping: Promise<ProberFindings> | undefined;
  const stop = async (): Promise<ProberFindings> => {
    const found = once(child, "message");
    order({ is: "stop" });
    const [findings] = (await found) as [ProberFindings];
    return findings;
  };
  return {
    know: (name, address) => order({ is: "know", name, address }),
    stop: () => (stopping ??= stop()),
  };
}
