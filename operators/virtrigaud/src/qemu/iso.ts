// A small ISO 9660 image with the files of a NoCloud seed: primary and Joliet descriptors, one folder. Pure.

const sector = 2048;
/** System area, primary, supplementary, terminator; then four path tables, two folders, and the files. */
const at = {
  primary: 16,
  joliet: 17,
  end: 18,
  pathL: 19,
  pathM: 20,
  jolietPathL: 21,
  jolietPathM: 22,
  root: 23,
  jolietRoot: 24,
  files: 25,
};

/** `files` by name; no name may have more than 64 characters. */
export function isoOf(volume: string, files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  let next = at.files;
  const placed = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => {
      const begins = next;
      next += Math.max(1, Math.ceil(bytes.length / sector));
      return { name, bytes, begins };
    });
  const image = new Uint8Array(next * sector);
  const put = (index: number, bytes: Uint8Array) => image.set(bytes, index * sector);
  const plain = (name: string) => Buffer.from(name, "latin1");
  put(at.primary, descriptor(1, plain(volume.toUpperCase().padEnd(32)), next, at.pathL, at.pathM, at.root));
  put(at.joliet, descriptor(2, utf16(volume.padEnd(16)), next, at.jolietPathL, at.jolietPathM, at.jolietRoot));
  put(at.end, Buffer.concat([Buffer.from([255]), plain("CD001"), Buffer.from([1])]));
  put(at.pathL, pathTable(at.root, false));
  put(at.pathM, pathTable(at.root, true));
  put(at.jolietPathL, pathTable(at.jolietRoot, false));
  put(at.jolietPathM, pathTable(at.jolietRoot, true));
  put(
    at.root,
    folder(
      at.root,
      placed.map((file, n) => ({ ...file, id: plain(shortName(file.name, n)) })),
    ),
  );
  put(
    at.jolietRoot,
    folder(
      at.jolietRoot,
      placed.map((file) => ({ ...file, id: utf16(file.name) })),
    ),
  );
  for (const { bytes, begins } of placed) put(begins, bytes);
  return image;
}

/** Eight capital letters, digits and underscores, and a version: what plain ISO 9660 knows. */
function shortName(name: string, n: number): string {
  return `${name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "_")
    .slice(0, 7)}${n}.;1`;
}

function descriptor(type: 1 | 2, volume: Buffer, sectors: number, pathL: number, pathM: number, root: number): Buffer {
  const block = Buffer.alloc(sector);
  block.writeUInt8(type, 0);
  block.write("CD001", 1, "latin1");
  block.writeUInt8(1, 6);
  // Text fields are filled with spaces, two bytes each where it is Joliet.
  const blank = type === 1 ? Buffer.from(" ") : Buffer.from([0, 0x20]);
  for (const [from, length] of [
    [8, 32],
    [40, 32],
    [190, 128],
    [318, 128],
    [446, 128],
    [574, 128],
    [702, 37],
    [739, 37],
    [776, 37],
  ] as const)
    block.fill(blank, from, from + length);
  volume.copy(block, 40, 0, 32);
  if (type === 2) block.write("%/E", 88, "latin1");
  both32(block, sectors, 80);
  both16(block, 1, 120);
  both16(block, 1, 124);
  both16(block, sector, 128);
  both32(block, 10, 132);
  block.writeUInt32LE(pathL, 140);
  block.writeUInt32BE(pathM, 148);
  entry(Buffer.from([0]), root, sector, true).copy(block, 156);
  for (const from of [813, 830, 847, 864]) block.write("0000000000000000", from, "latin1");
  block.writeUInt8(1, 881);
  return block;
}

function pathTable(root: number, isBig: boolean): Buffer {
  const table = Buffer.alloc(10);
  table.writeUInt8(1, 0);
  if (isBig) {
    table.writeUInt32BE(root, 2);
    table.writeUInt16BE(1, 6);
  } else {
    table.writeUInt32LE(root, 2);
    table.writeUInt16LE(1, 6);
  }
  return table;
}

function folder(own: number, files: readonly { id: Buffer; bytes: Uint8Array; begins: number }[]): Buffer {
  const all = Buffer.concat([
    entry(Buffer.from([0]), own, sector, true),
    entry(Buffer.from([1]), own, sector, true),
    ...files.map(({ id, bytes, begins }) => entry(id, begins, bytes.length, false)),
  ]);
  if (all.length > sector) throw new Error("a seed has few files, and this has too many");
  return all;
}

function entry(id: Buffer, begins: number, length: number, isFolder: boolean): Buffer {
  const size = 33 + id.length + (id.length % 2 === 0 ? 1 : 0);
  const block = Buffer.alloc(size);
  block.writeUInt8(size, 0);
  both32(block, begins, 2);
  both32(block, length, 10);
  // 1980-01-01: the image is a function of its files.
  block.set([80, 1, 1, 0, 0, 0, 0], 18);
  block.writeUInt8(isFolder ? 2 : 0, 25);
  both16(block, 1, 28);
  block.writeUInt8(id.length, 32);
  id.copy(block, 33);
  return block;
}

function utf16(text: string): Buffer {
  return Buffer.from(text, "utf16le").swap16();
}

function both32(block: Buffer, value: number, from: number): void {
  block.writeUInt32LE(value, from);
  block.writeUInt32BE(value, from + 4);
}

function both16(block: Buffer, value: number, from: number): void {
  block.writeUInt16LE(value, from);
  block.writeUInt16BE(value, from + 2);
}
