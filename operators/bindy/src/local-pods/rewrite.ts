// The configuration of a pod's named, for a process without a container around it: its paths, its address, its ports. Pure.

export interface Place {
  /** What `/` would be. */
  readonly root: string;
  readonly address: string;
  /** What listens in place of 5353 and 9530. */
  readonly dns: number;
  readonly rndc: number;
}

const folders = ["/etc/bind/", "/var/cache/bind"];

export function rewritten(text: string, { root, address, dns, rndc }: Place): string {
  let out = text;
  for (const folder of folders) out = out.replaceAll(`"${folder}`, `"${root}${folder}`);
  return out
    .replace(/listen-on port 5353 \{[^}]*\};/g, `listen-on port ${dns} { ${address}; };`)
    .replace(/listen-on-v6 port 5353 \{[^}]*\};/g, "listen-on-v6 { none; };")
    .replace(/inet 127\.0\.0\.1 port 9530/g, `inet ${address} port ${rndc}`)
    .replace(/^options \{/m, "options {\n  lock-file none;");
}
