import { createClient, type InProcessServer, inProcessTransport, isNotFound } from "@telltale/client";
import { seededRandom, VirtualClock } from "@telltale/clock";
import { ConfigMap } from "@telltale/kinds/builtin";

/** What a ConfigMap says, or a default where there is none. */
export async function greeting(server: InProcessServer): Promise<string> {
  const client = createClient({
    transport: inProcessTransport(server), // or: httpTransport(await findConnection({ clock }))
    clock: new VirtualClock(), // or: systemClock
    random: seededRandom(1), // or: systemRandom
  });
  try {
    const found = await client.get(ConfigMap, "greeting", { namespace: "web" });
    return found.data?.["text"] ?? "";
  } catch (error) {
    if (isNotFound(error)) return "hello";
    throw error;
  }
}
