// An IP address as a certificate holds it: four bytes, or sixteen.
import { isIP } from "node:net";

export function addressBytes(address: string): Uint8Array {
  const version = isIP(address);
  if (version === 4) return quad(address);
  if (version !== 6 || address.includes("%")) {
    throw new RangeError(
      `"${address}" is no IP address that a certificate can hold; give IPv4 or IPv6, without a zone`,
    );
  }
  const [before = "", after] = plain(address).split("::");
  const head = groups(before);
  const tail = groups(after ?? "");
  const bytes = new Uint8Array(16);
  bytes.set(head);
  bytes.set(tail, 16 - tail.length);
  return bytes;
}

const quad = (address: string): Uint8Array => Uint8Array.from(address.split(".").map(Number));

/** `::ffff:10.0.0.1` without dots. */
function plain(address: string): string {
  return address.replace(/[\d.]+\.[\d.]+$/, (dotted) => {
    const [a = 0, b = 0, c = 0, d = 0] = quad(dotted);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}

function groups(part: string): Uint8Array {
  if (part === "") return new Uint8Array(0);
  return Uint8Array.from(
    part
      .split(":")
      .map((group) => Number.parseInt(group, 16))
      .flatMap((group) => [group >> 8, group & 0xff]),
  );
}
