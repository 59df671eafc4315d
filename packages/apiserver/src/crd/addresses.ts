// Addresses of networks, as Kubernetes reads them: leading zeros in IPv4 are allowed, zones in IPv6 are not.

export function isIp(text: string): boolean {
  return text.includes(":") ? isIpv6(text) : isIpv4(text);
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const [address, bits] = [text.slice(0, slash), text.slice(slash + 1)];
  return isIp(address) && /^\d{1,6}$/.test(bits) && Number(bits) <= (address.includes(":") ? 128 : 32);
}

/** 6, 8 or 20 bytes, as `00:00:5e`, `00-00-5e`, `0000.5e00` or without anything between them. */
export function isMac(text: string): boolean {
  const shapes = [
    /^[0-9a-f]{2}(:[0-9a-f]{2})+$/i,
    /^[0-9a-f]{2}(-[0-9a-f]{2})+$/i,
    /^[0-9a-f]{4}(\.[0-9a-f]{4})+$/i,
    /^[0-9a-f]+$/i,
  ];
  return shapes.some((shape) => shape.test(text)) && [12, 16, 40].includes(text.replace(/[^0-9a-f]/gi, "").length);
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d{1,8}$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1);
  let length = groups.length;
  if (last?.includes(".")) {
    if (!isIpv4(last) || text.endsWith("::")) return false;
    groups.pop();
    length += 1;
  }
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? length < 8 : length === 8;
}
