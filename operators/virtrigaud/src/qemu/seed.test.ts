import { expect, it } from "vitest";
import { aMachine } from "../../test/qemu/machine.ts";
import { isoOf } from "./iso.ts";
import { seedFiles, userDataKind } from "./seed.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (file: Uint8Array | undefined) => new TextDecoder().decode(file);

it("L-17 nobody gets into a guest whom its user data does not let in", () => {
  const files = seedFiles(aMachine({}), new Uint8Array(), new Uint8Array());
  expect(text(files["user-data"])).toBe("#cloud-config\n{}\n");
  expect(text(files["meta-data"])).toBe("instance-id: q-aaaaaaaaaaaa\nlocal-hostname: one\n");
  expect(Object.keys(files)).toEqual(["user-data", "meta-data"]);
});

it("what is given is kept, and only what is missing is added", () => {
  const files = seedFiles(aMachine({}), bytes("#!/bin/sh\n"), bytes("instance-id: mine\nlocal-hostname: h"));
  expect([text(files["user-data"]), text(files["meta-data"])]).toEqual([
    "#!/bin/sh\n",
    "instance-id: mine\nlocal-hostname: h\n",
  ]);
});

it("a given address becomes a network config that nothing can break out of", () => {
  const nic = { name: "a", model: "virtio", mac: "52:54:00:00:00:01", net: { is: "user", sshPort: 1 } } as const;
  const address = { ip: "10.0.0.5", prefix: 24, gateway: "10.0.0.1", dns: ["1.1.1.1"] };
  const files = seedFiles(aMachine({ nics: [{ ...nic, address }] }), new Uint8Array(), new Uint8Array());
  expect(JSON.parse(text(files["network-config"]))).toEqual({
    version: 2,
    ethernets: {
      n0: {
        match: { macaddress: "52:54:00:00:00:01" },
        addresses: ["10.0.0.5/24"],
        routes: [{ to: "default", via: "10.0.0.1" }],
        nameservers: { addresses: ["1.1.1.1"] },
      },
    },
  });
});

it("an Ignition config is told from cloud-init's data", () => {
  expect(userDataKind(bytes(`{"ignition":{"version":"3.0.0"}}`))).toBe("ignition");
  for (const one of ["", "#cloud-config\n{}", "{", `{"users":[]}`, "[]"])
    expect(userDataKind(bytes(one))).toBe("cloud-init");
});

it("the seed's image has both folders, and every file where they say", () => {
  const files = { "user-data": bytes("u".repeat(5000)), "meta-data": bytes("m"), "network-config": bytes("") };
  const image = Buffer.from(isoOf("cidata", files));
  const descriptor = (at: number) => image.subarray(at * 2048, (at + 1) * 2048);
  expect([descriptor(16)[0], descriptor(17)[0], descriptor(18)[0]]).toEqual([1, 2, 255]);
  expect(descriptor(16).toString("latin1", 40, 72).trim()).toBe("CIDATA");
  expect(image.length).toBe(descriptor(16).readUInt32LE(80) * 2048);
  const root = image.subarray(descriptor(17).readUInt32LE(156 + 2) * 2048);
  const found: Record<string, string> = {};
  for (let at = 0; (root[at] ?? 0) > 0; at += root[at] ?? 0) {
    const length = root[at + 32] ?? 0;
    if (length < 2) continue;
    const name = Buffer.from(root.subarray(at + 33, at + 33 + length))
      .swap16()
      .toString("utf16le");
    const begins = root.readUInt32LE(at + 2) * 2048;
    found[name] = image.toString("utf8", begins, begins + root.readUInt32LE(at + 10));
  }
  expect(found).toEqual({ "meta-data": "m", "network-config": "", "user-data": "u".repeat(5000) });
});
