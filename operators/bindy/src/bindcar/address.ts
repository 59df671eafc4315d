// Addresses, read strictly and written as BIND prints them: equal addresses are equal texts.

export interface Address {
  readonly family: 4 | 6;
  readonly text: string;
}

export interface Endpoint extends Address {
  readonly port?: number;
}

export function addressOf(text: string): Address | undefined {
  if (four.test(text)) return { family: 4, text };
  const groups = text.length <= 45 ? groupsOf(text) : undefined;
  return groups === undefined ? undefined : { family: 6, text: printed(groups) };
}

/** `ip`, `ip:port`, `[v6]` or `[v6]:port`. */
export function endpointOf(text: string): Endpoint | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^[\]]{2,45})\]|([0-9.]{7,15}))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = addressOf(bracketed ?? plain ?? text);
  if (address === undefined || (bracketed !== undefined && address.family === 4)) return undefined;
  if (port === undefined) return address;
  const number = Number(port);
  return number >= 1 && number <= 65_535 && String(number) === port ? { ...address, port: number } : undefined;
}

export function endpointText({ family, text, port }: Endpoint): string {
  if (port === undefined) return text;
  return family === 6 ? `[${text}]:${port}` : `${text}:${port}`;
}

const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const four = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/** The eight numbers of an IPv6 address. */
function groupsOf(text: string): readonly number[] | undefined {
  const tail = /^(.*:)([0-9.]+)$/.exec(text);
  const [head, dotted] = tail?.[2]?.includes(".") ? [tail[1] ?? "", tail[2]] : [text, undefined];
  if (dotted !== undefined && !four.test(dotted)) return undefined;
  const last = dotted === undefined ? [] : pairs(dotted);
  const open = dotted === undefined ? head : head.endsWith("::") ? head : head.slice(0, -1);
  const halves = open.split("::");
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const words = [...(left ?? []), ...(right ?? [])];
  if (!words.every((word) => /^[0-9a-fA-F]{1,4}$/.test(word))) return undefined;
  const missing = 8 - words.length - last.length;
  if (right === undefined ? missing !== 0 : missing < 1) return undefined;
  const numbers = (list: readonly string[]) => list.map((word) => Number.parseInt(word, 16));
  const gap = Array.from({ length: right === undefined ? 0 : missing }, () => 0);
  return [...numbers(left ?? []), ...gap, ...numbers(right ?? []), ...last];
}

function pairs(dotted: string): readonly number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** The first longest run of zeros is `::`; what holds an IPv4 address shows it, by the rules of inet_ntop. */
function printed(groups: readonly number[]): string {
  const run = longestZeros(groups);
  const isFour =
    run?.at === 0 &&
    (run.length === 6 || (run.length === 7 && groups[7] !== 1) || (run.length === 5 && groups[5] === 0xffff));
  if (run !== undefined && isFour) {
    const before = run.length === 5 ? "::ffff:" : "::";
    const [high = 0, low = 0] = groups.slice(6);
    return `${before}${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  }
  const hex = (list: readonly number[]) => list.map((group) => group.toString(16)).join(":");
  if (run === undefined) return hex(groups);
  return `${hex(groups.slice(0, run.at))}::${hex(groups.slice(run.at + run.length))}`;
}

function longestZeros(groups: readonly number[]): { readonly at: number; readonly length: number } | undefined {
  let best: { at: number; length: number } | undefined;
  for (let at = 0; at < groups.length; at += 1) {
    let length = 0;
    while (groups[at + length] === 0) length += 1;
    if (length > 1 && length > (best?.length ?? 0)) best = { at, length };
    at += length;
  }
  return best;
}
