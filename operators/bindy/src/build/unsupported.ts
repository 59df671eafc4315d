// Fields that have no effect: those of upstream's definitions that nobody can honor here, and those that another field overrules. They
// are accepted, since manifests have them; the status of the instance says so, and what to do. Pure.
import { isBuiltInPolicy } from "./named-conf.ts";
import { isSigning, type Nameserver } from "./nameserver.ts";
import { closed } from "./service.ts";

export interface Unsupported {
  /** As a user finds it: in the spec of the instance, in its `config`, or in its cluster and the `global` of that. */
  readonly field: string;
  readonly message: string;
}

type Parts =
  | "config"
  | "storage"
  | "role"
  | "moreKeys"
  | "bindcar"
  | "service"
  | "configMapRefs"
  | "acls"
  | "allowTransfer";
type Asked = Pick<Nameserver, Parts | "overruled"> & { readonly primaryServers: readonly string[] };

type Found = readonly [field: string, isSet: boolean, message: string];

export function unsupportedIn({ role, primaryServers, ...server }: Asked): readonly Unsupported[] {
  const found: readonly Found[] = [
    ...signing(server),
    ...files(server),
    ...server.overruled.map(({ field, message }) => [field, true, message] as const),
    ...storage(server),
    ...server.moreKeys.flatMap(moreKey),
    ...service("bindcarConfig.serviceSpec", server.bindcar.serviceSpec),
    ...service(`${role}.service.spec`, server.service.spec),
    [
      "primaryServers",
      role === "primary" && primaryServers.length > 0,
      "only a secondary transfers zones: remove the field, or make an instance with the role secondary",
    ],
  ];
  return found.filter(([, isSet]) => isSet).map(([field, , message]) => ({ field, message }));
}

function signing(server: Pick<Asked, "config" | "configMapRefs">): readonly Found[] {
  const { signing: of = {} } = server.config.dnssec ?? {};
  const { policy = "default", nsec3Salt, exportToSecret, algorithm = standardAlgorithm } = of;
  const { namedConfOptions: file } = server.configMapRefs;
  const isFixed = isSigning(server) && (isBuiltInPolicy(policy) || file !== undefined);
  const fixed = isBuiltInPolicy(policy)
    ? `the policy ${policy} is built into named and has its own: give policy another name`
    : elsewhere("named.conf.options", file);
  return [
    ["dnssec.signing.nsec3Salt", nsec3Salt !== undefined, "named draws a salt of 16 bytes itself: remove the field"],
    [
      "dnssec.signing.exportToSecret",
      exportToSecret === true,
      "keys are not exported: keep them in a Secret yourself and name it in keysFrom.secretRef, and set this to false",
    ],
    ["dnssec.signing.algorithm", isFixed && algorithm !== standardAlgorithm, fixed],
    ["dnssec.signing.kskLifetime", isFixed && of.kskLifetime !== undefined, fixed],
    ["dnssec.signing.zskLifetime", isFixed && of.zskLifetime !== undefined, fixed],
    ["dnssec.signing.nsec3", isFixed && of.nsec3 === true, fixed],
  ];
}

const elsewhere = (file: string, map = ""): string =>
  `${file} is that of ConfigMap ${map}: say it there, and remove the field`;

type Written = Pick<Asked, "configMapRefs" | "config" | "acls" | "allowTransfer">;

/** What is to stand in a file that is somebody else's. */
function files({
  configMapRefs: { namedConf, namedConfOptions },
  config,
  acls,
  allowTransfer,
}: Written): readonly Found[] {
  const { recursion, allowQuery, forwarders, listenOn, listenOnV6, dnssec } = config;
  const isSet = {
    recursion: recursion !== undefined,
    allowQuery: allowQuery !== undefined,
    allowTransfer: allowTransfer.length > 0,
    forwarders: forwarders !== undefined,
    listenOn: listenOn !== undefined,
    listenOnV6: listenOnV6 !== undefined,
    "dnssec.validation": dnssec?.validation === true,
  };
  const options = Object.entries(isSet).map(
    ([field, is]): Found => [
      field,
      is && namedConfOptions !== undefined,
      elsewhere("named.conf.options", namedConfOptions),
    ],
  );
  const hasLists = Object.keys(acls).length > 0;
  return [...options, ["acls", hasLists && namedConf !== undefined, elsewhere("named.conf", namedConf)]];
}

const standardAlgorithm = "ECDSAP256SHA256";

function storage({ storage: of }: Pick<Asked, "storage">): readonly Found[] {
  const { storageType = "emptyDir", persistentVolumeClaim: claim, emptyDir } = of;
  const { size, accessModes, storageClassName } = claim ?? {};
  const isClaim = storageType === "persistentVolumeClaim";
  const made = "the operator makes no claim: create the one that claimName names with it, and remove the field";
  return [
    [
      "storage.persistentVolumeClaim",
      claim !== undefined && !isClaim,
      "the pods have an emptyDir, and what is in it is lost with them: set storageType to persistentVolumeClaim",
    ],
    ["storage.emptyDir", emptyDir !== undefined && isClaim, "the pods have a claim: remove the field"],
    ["storage.persistentVolumeClaim.size", size !== undefined, made],
    ["storage.persistentVolumeClaim.accessModes", accessModes !== undefined, made],
    ["storage.persistentVolumeClaim.storageClassName", storageClassName !== undefined, made],
  ];
}

function service(path: string, said: Asked["service"]["spec"]): readonly Found[] {
  const other =
    "the Service of an instance has it as the operator sets it: remove the field, and make a Service of your own with it";
  return closed.map((field) => [`${path}.${field}`, said?.[field] !== undefined, other]);
}

/** The Secret of a further key is included as it is, by its file. */
function moreKey({ keyNameKey, secretKey, algorithm }: Asked["moreKeys"][number], i: number): readonly Found[] {
  const file =
    "of a further key named reads the field rndc.key of the Secret alone: put it there, and remove the field";
  const isOther = (given: string | undefined, standard: string) => given !== undefined && given !== standard;
  return [
    [`rndcSecretRefs[${i}].keyNameKey`, isOther(keyNameKey, "key-name"), file],
    [`rndcSecretRefs[${i}].secretKey`, isOther(secretKey, "secret"), file],
    [`rndcSecretRefs[${i}].algorithm`, isOther(algorithm, "hmac-sha256"), file],
  ];
}
