// What a nameserver's pod mounts, and where (8.4). Pure.
import { configMapName } from "../names.ts";
import { configData } from "./config-map.ts";
import { paths } from "./named-conf.ts";
import { type Nameserver, signingSecret } from "./nameserver.ts";
import type { Volume, VolumeMount } from "./types.ts";

export interface Volumes {
  readonly volumes: Volume[];
  readonly bind9: VolumeMount[];
  readonly api: VolumeMount[];
  /** Of what puts keys for signing where named uses them. Empty: nobody has to. */
  readonly keys: VolumeMount[];
}

/** `keySecret`: the Secret that the pods read their key from. */
export function buildVolumes(server: Nameserver, key: { readonly secret: string; readonly name: string }): Volumes {
  const both: VolumeMount[] = [cacheMount, { name: "rndc-key", mountPath: paths.keys, readOnly: true }];
  const files = filesOf(server, key.name);
  const keys = givenKeys(server);
  const own = [...files, ...moreKeys(server)];
  return {
    volumes: [
      { name: "zones", emptyDir: {} },
      cacheVolume(server),
      { name: "rndc-key", secret: { secretName: key.secret } },
      { name: "config", configMap: { name: configMapName(server.name) } },
      { name: "tmp", emptyDir: { medium: "Memory" } },
      ...[...own, ...keys].flatMap(({ volume }) => (volume === undefined ? [] : [volume])),
      ...([...server.volumes] as Volume[]),
    ],
    bind9: [
      { name: "zones", mountPath: paths.zoneFiles },
      ...both,
      ...own.map(({ mount }) => mount),
      ...([...server.volumeMounts] as VolumeMount[]),
    ],
    keys: keys.length === 0 ? [] : [cacheMount, ...keys.map(({ mount }) => mount)],
    api: [...both, { name: "config", mountPath: paths.rndcConf, subPath: "rndc.conf", readOnly: true }, tmp],
  };
}

const cacheMount: VolumeMount = { name: "cache", mountPath: paths.cache };
const tmp: VolumeMount = { name: "tmp", mountPath: "/tmp" };

interface Mounted {
  /** Undefined: it is one of those that are there anyway. */
  readonly volume?: Volume;
  readonly mount: VolumeMount;
}

/** Configuration files: ours, or those of ConfigMaps that a person names. */
function filesOf(server: Nameserver, keyName: string): readonly Mounted[] {
  const { namedConf, namedConfOptions, namedConfZones } = server.configMapRefs;
  const ours = Object.keys(configData(server, keyName)).map((file) => ({
    mount: { name: "config", mountPath: `/etc/bind/${file}`, subPath: file, readOnly: true },
  }));
  const theirs = [
    { volume: "named-conf", file: "named.conf", map: namedConf },
    { volume: "named-conf-options", file: "named.conf.options", map: namedConfOptions },
    { volume: "named-conf-zones", file: "named.conf.zones", map: namedConfZones },
  ].flatMap(({ volume, file, map }) => {
    if (map === undefined) return [];
    const mount = { name: volume, mountPath: `/etc/bind/${file}`, subPath: file, readOnly: true };
    return [{ volume: { name: volume, configMap: { name: map } }, mount }];
  });
  return [...ours, ...theirs];
}

/** Without a Secret they are on the claim that holds the cache: elsewhere signing is refused (L-30). */
function givenKeys(server: Nameserver): readonly Mounted[] {
  const secret = signingSecret(server);
  if (secret === undefined) return [];
  return [
    {
      volume: { name: "dnssec-keys", secret: { secretName: secret } },
      mount: { name: "dnssec-keys", mountPath: paths.givenKeys, readOnly: true },
    },
  ];
}

/** Each below a folder of its own name. */
function moreKeys({ moreKeys: refs }: Nameserver): readonly Mounted[] {
  if (refs.length === 0) return [];
  const sources = refs.map(({ name }) => ({
    secret: { name, items: [{ key: "rndc.key", path: `${name}/rndc.key` }] },
  }));
  return [
    {
      volume: { name: moreKeysVolume, projected: { sources } },
      mount: { name: moreKeysVolume, mountPath: paths.moreKeys, readOnly: true },
    },
  ];
}

export const moreKeysVolume = "more-keys";

function cacheVolume({ storage }: Nameserver): Volume {
  const { storageType, persistentVolumeClaim, emptyDir } = storage;
  const claimName = storageType === "persistentVolumeClaim" ? persistentVolumeClaim?.claimName : undefined;
  if (claimName !== undefined) return { name: "cache", persistentVolumeClaim: { claimName } };
  return { name: "cache", emptyDir: { ...emptyDir } as NonNullable<Volume["emptyDir"]> };
}
