// The labels of what a nameserver is made of (4.2). Pure.
import { labels, partLabels } from "../names.ts";
import type { Nameserver } from "./nameserver.ts";

export const labelsOf = ({ name, cluster }: Nameserver): Record<string, string> => ({
  ...partLabels(name, cluster === undefined ? "unmanaged" : "managed"),
});

/** Of the Deployment and its pods: with the role, where a cluster made them. */
export const podLabelsOf = (server: Nameserver): Record<string, string> => ({
  ...labelsOf(server),
  ...(server.cluster === undefined ? {} : { [labels.cluster]: server.cluster, [labels.role]: server.role }),
});
