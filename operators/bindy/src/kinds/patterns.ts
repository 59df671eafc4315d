// The patterns of the specification by their names (2.3), and those of 12.2. What a pattern cannot say, `src/validate` checks.

const label = "[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const ownerLabel = "[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?";
const serviceLabel = "_[A-Za-z0-9]([A-Za-z0-9-]{0,60}[A-Za-z0-9])?";
const objectName = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
/** Characters that turn the direction of a text: what is seen is not what is there. */
const directions = "\u200e\u200f\u202a-\u202e\u2066-\u2069";
const target = `${ownerLabel}(\\.${ownerLabel})*\\.`;

export const patterns = {
  /** P-FQDN */
  fqdn: `^${label}(\\.${label})*\\.$`,
  /** P-ZONE: no dot at the end, no underscore. */
  zone: `^(${label}\\.)*${label}$`,
  /** P-POLICY */
  policy: "^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$",
  /** P-TOKEN */
  token: "^[A-Za-z0-9]{1,32}$",
  /** P-IPV4, for the schema only: the value is parsed strictly later. */
  ipv4: "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$",
  /** P-OWNER */
  owner: `^(@|\\*|(\\*\\.)?${ownerLabel}(\\.${ownerLabel})*)$`,
  /** P-TARGET: no dot in front, no two dots together, and labels as DNS has them. */
  target: `^${target}$`,
  /** P-TARGET, or a lone dot: there is no such service. */
  serviceTarget: `^(${target}|\\.)$`,
  /** An owner that begins with a service and a protocol: _sip._tcp. */
  serviceOwner: `^${serviceLabel}\\.${serviceLabel}(\\.${ownerLabel})*$`,
  /** One entry of an ACL, as far as a pattern can tell. */
  acl: "^!? ?(any|none|localhost|localnets|key [A-Za-z0-9._-]{1,253}|[0-9]{1,3}(\\.[0-9]{1,3}){3}(/[0-9]{1,2})?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(/[0-9]{1,3})?)$",
  /** An address, as far as a pattern can tell. */
  address: "^[0-9A-Fa-f:.]+$",
  /** An address, or one with a port: 192.0.2.1:53, [2001:db8::1]:53. */
  endpoint: "^(\\[[0-9A-Fa-f:.]+\\]:[0-9]{1,5}|[0-9.]+(:[0-9]{1,5})?|[0-9A-Fa-f:.]+)$",
  /** Names of TSIG keys. */
  keyName: "^[A-Za-z0-9._-]{1,253}$",
  hex: "^([0-9A-Fa-f]{2})+$",
  /** 24h, 30d, 4w. */
  span: "^[0-9]{1,6}[hdw]$",
  /** What may stand between quotes in a zone file. Controls as escapes: kubectl cannot apply a definition that has them as they are. */
  printable: `^[^\\x00-\\x1f\\x7f-\\x9f${directions}]*$`,
  /** The tag of a CAA record. */
  tag: "^[a-z0-9]{1,15}$",
  /** A name of a Kubernetes object in the same namespace. */
  objectName: `^${objectName}$`,
  /** The same, or nothing. */
  objectNameOrNone: `^(${objectName})?$`,
  /** A key in the data of a Secret. */
  dataKey: "^[A-Za-z0-9_]+([-.][A-Za-z0-9_]+)*$",
  /** A namespace. */
  namespace: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
} as const;
