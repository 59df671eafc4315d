// The patterns that repeat in the schemas (2.2). What a pattern cannot say, `src/validate` checks.

const octet = "(25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)";
const ipv4 = `(${octet}\\.){3}${octet}`;

export const patterns = {
  /** P-NAME: no dots, so an object whose name has one cannot be referred to. */
  name: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  /** P-IPV4 */
  ipv4: `^${ipv4}$`,
  /** P-CIDR4 */
  cidr4: `^${ipv4}/([0-9]|[1-2][0-9]|3[0-2])$`,
  /** P-MAC */
  mac: "^([0-9A-Fa-f]{2}[:-]){5}([0-9A-Fa-f]{2})$",
  /** A length of time as Go writes it, without a sign: `30d` is refused by the server already (C.6). */
  duration: "^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$",
} as const;
