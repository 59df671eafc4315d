// What clusterctl installs of capt: two providers, which may be installed apart from each other, in the layout of its local repositories.
// Pure.
import {
  clusterctlMetadata,
  components,
  componentsFile,
  configFrom,
  nameOf,
  type Provider,
  partsOf,
  providerLabels,
} from "@telltale/capt";
import type { KubeObject } from "@telltale/kinds";
import { programArgs } from "../../packages/telltale/src/install/deployment.ts";
import { lookUpRoles } from "../../packages/telltale/src/install/roles.ts";
import { capt } from "../../packages/telltale/src/operators/capt.ts";

export interface Release {
  readonly version: string;
  readonly image: string;
}

const providers: readonly Provider[] = ["infrastructure", "control-plane"];

/** Objects by the paths of their files. */
export function clusterctlFiles({ version, image }: Release): ReadonlyMap<string, readonly KubeObject[]> {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return new Map(
    providers.flatMap((provider): [string, readonly KubeObject[]][] => {
      const folder = `clusterctl/${provider}-capt/v${version}`;
      return [
        [`${folder}/${componentsFile(provider)}`, objectsOf(provider, image)],
        [`${folder}/metadata.yaml`, [clusterctlMetadata([{ major, minor }])]],
      ];
    }),
  );
}

function objectsOf(provider: Provider, image: string): readonly KubeObject[] {
  // The machines have a gate, which is closed unless somebody opens it.
  const controllers = partsOf(provider).filter((part) => part !== "machines");
  const flags = {
    "--enable-controller": controllers.join(","),
    "--metrics-bind-address": ":8080",
    "--health-probe-bind-address": ":8081",
  };
  const read = configFrom(flags);
  if ("errors" in read) throw new Error(read.errors.join("; "));
  const name = nameOf(provider);
  const namespace = `${name}-system`;
  const given = Object.fromEntries(Object.entries(flags).map(([flag, value]) => [flag.slice(2), value]));
  const args = programArgs(capt.name, given);
  const own = components({ provider, config: read.config, namespace, image, args });
  const labels = providerLabels(provider);
  const looks = lookUpRoles({ name }, { namespace }, own).map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels },
  }));
  return [...own, ...looks];
}
