// A disk that boots without an operating system: what a machine is made from where there is no image.
import { writeFileSync } from "node:fs";

/**
 * 512 bytes that boot: says B on the serial port; then, about twice a second, counts, writes the count to the disk's second sector and
 * says a letter for it; and powers off (after a P) when its power button is pressed.
 */
const polite = Buffer.from(
  "fa31c08ed88ec08ed0bc007c8816007eb80001ba0206ef31edb042e83f00fbf4ba0006edf6c401740cb050e82f00b80020ba0406efa16c04a80775e3" +
    "45892e0080b80103b9020030f68a16007ebb0080cd1389e8243f0440e80200ebc2baf803eec3",
  "hex",
);
/** Where it powers off. */
const powerOff = 0x2e;

/** A raw disk of one MiB that boots. A stubborn one heeds no power button. */
export function bootImage(path: string, { isStubborn = false } = {}): void {
  const disk = Buffer.alloc(2 ** 20);
  polite.copy(disk);
  if (isStubborn) disk.fill(0x90, powerOff, powerOff + 7);
  disk.writeUInt16LE(0xaa55, 510);
  writeFileSync(path, disk);
}
