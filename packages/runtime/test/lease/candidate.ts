// A process that takes part in an election and, as long as its fence allows, writes its name and epoch into a ConfigMap again
// and again. Started by `election.real.test.ts`: candidate.ts <kubeconfig> <identity> <duration> <renewDeadline> <retry>.
import { createClient, findConnection, httpTransport, isConflict } from "@telltale/client";
import { sleep, systemClock, systemRandom } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";
import { elect } from "../../src/lease/election.ts";
import type { Fields, Log } from "../../src/log.ts";

const [path = "", identity = "", ...times] = process.argv.slice(2);
const [duration = 0, renewDeadline = 0, retry = 0] = times.map(Number);
const namespace = "default";
const world = { clock: systemClock, random: systemRandom };

const client = createClient({
  transport: httpTransport(await findConnection({ clock: systemClock, path, env: {} })),
  ...world,
  // A write that is repeated for longer could outlive the lease that it was allowed by.
  timeout: (duration - renewDeadline) / 2,
});
const line = (message: string, fields?: Fields) => console.log(identity, message, JSON.stringify(fields ?? {}));
const log: Log = { debug: line, info: line, warn: line, error: line, with: () => log };
const election = elect({
  client,
  ...world,
  log,
  sink: () => {},
  namespace,
  name: "race",
  identity,
  duration,
  renewDeadline,
  retry,
});
const stop = new AbortController();
process.once("SIGTERM", () => {
  election.release().then(() => process.exit(0));
});
election.start(stop.signal);

let writes = 0;
for (;;) {
  try {
    await election.gained();
    const { metadata } = await client.get(ConfigMap, "journal", { namespace });
    await write(metadata?.resourceVersion ?? "");
  } catch (error) {
    if (!isConflict(error)) line(String(error));
  }
  await sleep(systemClock, 20);
}

async function write(read: string): Promise<void> {
  let resourceVersion = read;
  for (;;) {
    const epoch = election.epoch();
    if (epoch === undefined || !election.allows()) return;
    // What was stopped between the question above and the sending below is refused by the server, as a status write is.
    const json = [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "add", path: "/data", value: { writer: identity, epoch: String(epoch), write: String(writes++) } },
    ] as const;
    const { metadata } = await client.patch(ConfigMap, { namespace, name: "journal" }, { json });
    resourceVersion = metadata?.resourceVersion ?? "";
    await sleep(systemClock, 20);
  }
}
