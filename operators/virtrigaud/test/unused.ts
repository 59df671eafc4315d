// What the kinds have for compatibility and nobody uses, with what happens instead. The table of the README is made of it.
import { markdownTable as table } from "@telltale/kinds";

export const unused: readonly (readonly [kind: string, path: string, instead: string])[] = [
  ["VirtualMachine", "spec.resources.gpu", "it gets no GPU"],
  ["VirtualMachine", "spec.disks.storageClass", "the provider chooses where a disk is"],
  ["VirtualMachine", "status.currentResources.gpu", "never set"],
  ["Provider", "spec.connectionPooling.maxIdleConnections", "there is one connection, kept as long as the Provider"],
  ["Provider", "status.resourceUsage.network", "never set: no provider tells"],
  ["VMSet", "spec.serviceName", "no Service is looked for"],
  ["VMClass", "spec.diskDefaults.storageClass", "the provider chooses; status.validationResults warns"],
  ["VMClass", "spec.diskDefaults.iops", "no limit; status.validationResults warns"],
  ["VMImage", "spec.prepare.optimization", "the image stays as it was fetched"],
  ["VMImage", "spec.prepare.storage.compression", "the provider decides"],
  ["VMImage", "spec.distribution", "for people"],
  ["VMClone", "spec.options.includeSnapshots", "a copy has no snapshots"],
  ["VMClone", "spec.options.parallel", "the provider decides"],
  ["VMClone", "spec.options.performance", "the provider decides"],
  ["VMSnapshot", "spec.snapshotConfig.compression", "the provider decides"],
  ["VMMigration", "spec.target.disks.storageClass", "the provider chooses where a disk is"],
];

export const unusedTable = (): string =>
  table(
    ["Kind", "Field", "Instead"],
    unused.map(([kind, path, instead]) => [`\`${kind}\``, `\`${path}\``, instead]),
  );
