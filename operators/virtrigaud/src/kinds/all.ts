// The ten kinds as a list, in the order in which the specification has them, and their definitions.
import { type Kind, toCrd } from "@telltale/kinds";
import type { CustomResourceDefinition } from "@telltale/kinds/builtin";
import { Provider } from "./provider.ts";
import { VirtualMachine } from "./virtual-machine.ts";
import { VMClass } from "./vm-class.ts";
import { VMClone } from "./vm-clone.ts";
import { VMImage } from "./vm-image.ts";
import { VMMigration } from "./vm-migration.ts";
import { VMNetworkAttachment } from "./vm-network-attachment.ts";
import { VMPlacementPolicy } from "./vm-placement-policy.ts";
import { VMSet } from "./vm-set.ts";
import { VMSnapshot } from "./vm-snapshot.ts";

export const virtrigaudKinds: readonly Kind[] = [
  VirtualMachine,
  Provider,
  VMMigration,
  VMSet,
  VMPlacementPolicy,
  VMSnapshot,
  VMClass,
  VMImage,
  VMClone,
  VMNetworkAttachment,
];

export const virtrigaudCrds = (): readonly CustomResourceDefinition[] => virtrigaudKinds.map((kind) => toCrd(kind));
