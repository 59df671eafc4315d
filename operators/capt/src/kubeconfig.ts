// Whether a text is a kubeconfig that somebody could use, and whether another is a certificate (CP-10, CP-11). Pure, and no
// word of what they hold is ever repeated.
import { Buffer } from "node:buffer";
import { type Kubeconfig, parseKubeconfig } from "@telltale/client";

/** The rule that a kubeconfig breaks, in words. Undefined: it can be used. */
export async function kubeconfigProblem(text: string): Promise<string | undefined> {
  let config: Kubeconfig;
  try {
    config = await parseKubeconfig("kubeconfig", text);
  } catch {
    return "it is not a YAML mapping with lists of named clusters, users and contexts";
  }
  if (config.kind !== "Config") return "kind is not Config";
  const context = config.contexts.get(config.currentContext);
  if (context === undefined) return "current-context names no context";
  if (!config.clusters.has(context.value.cluster ?? "")) return "the current context names no cluster";
  for (const { value } of config.contexts.values()) {
    const server = config.clusters.get(value.cluster ?? "")?.value.server;
    if (typeof server !== "string" || !/^https:\/\/[^\s/]/.test(server)) return "a cluster has no https server";
  }
  return undefined;
}

const pemBegin = "-----BEGIN CERTIFICATE-----";

/** The certificate as PEM, given as such or in base64 once more. Undefined: it is none. */
export function certificateOf(data: string): string | undefined {
  const given = data.trim();
  if (given.startsWith(pemBegin)) return data;
  const decoded = Buffer.from(given, "base64").toString("utf8");
  return decoded.startsWith(pemBegin) ? decoded : undefined;
}
