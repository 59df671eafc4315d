import fc from "fast-check";
import { expect, it } from "vitest";
import { aMachine } from "../../test/qemu/machine.ts";
import { argvOf, options, type Start } from "./argv.ts";
import { layoutOf } from "./layout.ts";

const paths = layoutOf("/s").machine("q-aaaaaaaaaaaa");
const start: Start = { program: "qemu-system-x86_64", accelerator: "tcg", paths, sockets: paths.run };
const after = (argv: readonly string[], flag: string) =>
  argv.flatMap((one, at) => (one === flag ? [argv[at + 1] ?? ""] : []));

it("is what the spec says, from what is stored", () => {
  const argv = argvOf(
    aMachine({
      cpu: 2,
      memoryMiB: 512,
      disks: [{ name: "data", sizeGiB: 1, isThick: false, slot: 1, layer: 3 }],
      nics: [
        { name: "a", model: "virtio", mac: "52:54:00:00:00:01", net: { is: "user", sshPort: 20_022 } },
        { name: "b", model: "e1000", mac: "52:54:00:00:00:02", net: { is: "isolated", name: "x", port: 10_001 } },
      ],
    }),
    start,
  );
  expect(after(argv, "-smp")).toEqual(["cpus=2,maxcpus=2"]);
  expect(after(argv, "-m")).toEqual(["size=512M"]);
  expect(after(argv, "-accel")).toEqual(["tcg"]);
  expect(after(argv, "-blockdev").map((one) => JSON.parse(one).file.filename)).toEqual([
    "/s/vms/q-aaaaaaaaaaaa/disks/root.qcow2",
    "/s/vms/q-aaaaaaaaaaaa/disks/base/3-data.qcow2",
    "/s/vms/q-aaaaaaaaaaaa/seed/seed.img",
  ]);
  expect(after(argv, "-netdev")).toEqual([
    "user,id=n0,hostfwd=tcp:127.0.0.1:20022-:22",
    "socket,id=n1,mcast=230.0.0.1:10001,localaddr=127.0.0.1",
  ]);
  expect(after(argv, "-sandbox")).toEqual(["on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"]);
  expect(argv).toContain("virtio-blk-pci,drive=data1,id=d-data1");
});

it("leaves room for more where the class allows to add", () => {
  const argv = argvOf(aMachine({ cpu: 2, memoryMiB: 512, hotAdd: { cpu: true, memory: true } }), start);
  expect(after(argv, "-smp")).toEqual(["cpus=2,maxcpus=8"]);
  expect(after(argv, "-m")).toEqual(["size=512M,slots=8,maxmem=2048M"]);
});

it("gives an Ignition config by fw_cfg, and UEFI two flash drives", () => {
  const argv = argvOf(aMachine({ userData: "ignition", firmware: "uefi" }), { ...start, ovmfCode: "/f/CODE,x.fd" });
  expect(after(argv, "-fw_cfg")).toEqual(["name=opt/com.coreos/config,file=/s/vms/q-aaaaaaaaaaaa/seed/user-data"]);
  const [code, vars] = after(argv, "-blockdev").map((one) => JSON.parse(one));
  expect([code["read-only"], code.file.filename, vars.driver]).toEqual([true, "/f/CODE,x.fd", "qcow2"]);
  expect(argv).toContain("pflash0=code,pflash1=vars");
});

it("lets a helper be started only where there is one", () => {
  const nic = { name: "a", model: "virtio", mac: "52:54:00:00:00:01", net: { is: "bridge", bridge: "br0" } } as const;
  const argv = argvOf(aMachine({ nics: [nic] }), { ...start, bridgeHelper: "/h,x" });
  expect(after(argv, "-netdev")).toEqual(["bridge,id=n0,br=br0,helper=/h,,x"]);
  expect(after(argv, "-sandbox")[0]).toContain("spawn=allow");
});

it("no value is ever read as another option, whatever is in a path", () => {
  const weird = fc.string({
    unit: fc.constantFrom(",", "=", "a", "/", '"', "\\", " ", "{", ":", "-", "é"),
    minLength: 1,
  });
  fc.assert(
    fc.property(weird, (name) => {
      const value = options({ id: "x", path: name }, "socket");
      // As QEMU reads it: a doubled comma is one of the value's, a single one ends it.
      const parts = value.split(/(?<!,)(?:,,)*,(?!,)/);
      const read = value.slice("socket,id=x,path=".length).replaceAll(",,", ",");
      expect(read).toBe(name);
      expect(parts.length).toBeGreaterThan(0);
      const argv = argvOf(aMachine({}), { ...start, paths: layoutOf(`/${name}`).machine("q-aaaaaaaaaaaa") });
      const plain = argvOf(aMachine({}), start);
      expect(argv).toHaveLength(plain.length);
      expect(argv.filter((one) => /^-[a-z]/.test(one))).toEqual(plain.filter((one) => /^-[a-z]/.test(one)));
      for (const one of after(argv, "-blockdev")) expect(() => JSON.parse(one)).not.toThrow();
    }),
  );
});
