// A unified diff of two texts: hunks with three lines around what changed.

export function unifiedDiff(before: string, after: string): string {
  const edits = compare(before.split("\n"), after.split("\n"));
  const out: string[] = [];
  let at = 0;
  let oldLine = 1;
  let newLine = 1;
  for (const [from, to] of hunks(edits)) {
    // Between hunks nothing changed.
    oldLine += from - at;
    newLine += from - at;
    const hunk = edits.slice(from, to);
    const oldCount = hunk.filter((e) => e.sign !== "+").length;
    const newCount = hunk.filter((e) => e.sign !== "-").length;
    out.push(`@@ -${oldLine},${oldCount} +${newLine},${newCount} @@`, ...hunk.map((e) => `${e.sign}${e.line}`));
    oldLine += oldCount;
    newLine += newCount;
    at = to;
  }
  return out.length === 0 ? "" : `${out.join("\n")}\n`;
}

type Edit = { readonly sign: " " | "-" | "+"; readonly line: string };

/** The longest common subsequence of the lines between the first and the last that differ. */
function compare(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const keep = (lines: readonly string[]): Edit[] => lines.map((line) => ({ sign: " ", line }));
  return [
    ...keep(a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...keep(a.slice(a.length - end)),
  ];
}

/** Beyond this the table would cost more than the message is worth. */
const largest = 1_000_000;

function middle(a: readonly string[], b: readonly string[]): Edit[] {
  const gone = (line: string): Edit => ({ sign: "-", line });
  const came = (line: string): Edit => ({ sign: "+", line });
  if (a.length * b.length > largest) return [...a.map(gone), ...b.map(came)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  const edits: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      edits.push({ sign: " ", line: left });
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || cell(i + 1, j) >= cell(i, j + 1))) {
      edits.push(gone(left));
      i += 1;
    } else {
      edits.push(came(right ?? ""));
      j += 1;
    }
  }
  return edits;
}

const around = 3;

/** Where hunks begin and end; those that touch are one. */
function hunks(edits: readonly Edit[]): [number, number][] {
  const found: [number, number][] = [];
  for (const [i, edit] of edits.entries()) {
    if (edit.sign === " ") continue;
    const last = found.at(-1);
    const from = Math.max(0, i - around);
    const to = Math.min(edits.length, i + around + 1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}
