// The certificate that a provider serves with: files in a folder, looked at again and again, because Kubernetes exchanges them
// while the process runs. The authority is read once: a new one needs a restart.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SecureContextOptions } from "node:tls";
import type { Clock, Timer } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Log } from "@telltale/runtime";

export interface Certificate {
  /** What to serve with now. */
  readonly first: SecureContextOptions;
  /**
   * Looks for a new one from now on, until the result is called. `use` throws where a key is another certificate's, as in the moment
   * between two writes.
   */
  follow(use: (next: SecureContextOptions) => void): () => void;
}

const every: Ms = 10_000;

/** Throws where the files cannot be read. */
export function certificateIn(folder: string, clock: Clock, log: Log): Certificate {
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const ca = read("ca.crt");
  const look = (): SecureContextOptions => {
    return { cert: read("tls.crt"), key: read("tls.key"), ca, minVersion: "TLSv1.3" };
  };
  const first = look();
  return {
    first,
    follow(use) {
      let [current, trouble] = [first, ""];
      const again = () => {
        try {
          const found = look();
          if (found.cert !== current.cert || found.key !== current.key) {
            use(found);
            current = found;
            log.info("a new certificate is served");
          }
          trouble = "";
        } catch (error) {
          const said = error instanceof Error ? error.message : String(error);
          if (said !== trouble)
            log.error("the new certificate cannot be used; the last one is served", { error: said });
          trouble = said;
        }
        timer = clock.after(every, again);
      };
      let timer: Timer = clock.after(every, again);
      return () => timer.cancel();
    },
  };
}
