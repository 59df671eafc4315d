// A machine's command line: an argv, built from what is stored. Values with commas are doubled or in JSON, so that no value is ever
// read as an option. Pure.
import { join } from "node:path";
import type { MachinePaths } from "./layout.ts";
import { type Accelerator, deviceOf, headroom, type Machine, type Nic, nodeOf, rootDevice } from "./machine.ts";

export interface Start {
  readonly program: string;
  readonly accelerator: Accelerator;
  readonly paths: MachinePaths;
  /** Where the sockets are. */
  readonly sockets: string;
  readonly ovmfCode?: string;
  readonly bridgeHelper?: string;
}

/** Ports that take a disk while the machine runs: the root bus of a q35 takes none. */
export const hotPorts = ["hp0", "hp1", "hp2", "hp3", "hp4", "hp5", "hp6", "hp7"] as const;

/**
 * QEMU stays in the foreground of a session of its own: the fork of `-daemonize` is what its sandbox denies. `spawn` is allowed only
 * where a bridge helper is started.
 */
export function argvOf(machine: Machine, start: Start): readonly string[] {
  const { paths, sockets } = start;
  const room = headroom(machine);
  const spawn = start.bridgeHelper === undefined ? "deny" : "allow";
  return [
    start.program,
    ...["-name", options({ guest: machine.id, process: machine.id })],
    ...["-uuid", machine.uuid],
    ...["-accel", start.accelerator],
    ...["-machine", "q35"],
    ...["-cpu", start.accelerator === "kvm" ? "host" : "max"],
    ...["-smp", `cpus=${machine.cpu},maxcpus=${room.cpus}`],
    ...["-m", memory(machine.memoryMiB, room.memoryMiB)],
    ...["-nodefaults", "-no-user-config", "-display", "none", "-vga", "std"],
    ...["-sandbox", `on,obsolete=deny,elevateprivileges=${spawn},spawn=${spawn},resourcecontrol=deny`],
    ...firmware(machine, start),
    ...hotPorts.flatMap((id, at) => [
      "-device",
      `pcie-root-port,id=${id},chassis=${at + 1},addr=0x1e.0x${at}${at === 0 ? ",multifunction=on" : ""}`,
    ]),
    ...disk("root", paths.disk("root", machine.root.layer), `${rootDevice},bootindex=1`),
    ...machine.disks.flatMap((one) => disk(nodeOf(one), paths.disk(one.name, one.layer), deviceOf(one))),
    ...seed(machine, paths),
    ...machine.nics.flatMap((nic, at) => network(nic, at, start)),
    ...["-chardev", socket("qmp", join(sockets, "qmp.sock")), "-mon", "chardev=qmp,mode=control"],
    ...["-device", "virtio-serial"],
    ...["-chardev", socket("qga", join(sockets, "qga.sock"))],
    ...["-device", "virtserialport,chardev=qga,name=org.qemu.guest_agent.0"],
    ...["-chardev", options({ id: "ser", path: paths.serialLog }, "file"), "-serial", "chardev:ser"],
    ...["-pidfile", paths.pidFile],
  ];
}

/** What a qcow2 file is to QEMU, on the command line and in `blockdev-add`. */
export function qcow2Node(name: string, filename: string) {
  return {
    driver: "qcow2",
    "node-name": name,
    file: { driver: "file", filename },
    discard: "unmap",
  } as const;
}

/** `first` and then name=value pairs, every comma of a value doubled. */
export function options(values: Readonly<Record<string, string | number>>, first?: string): string {
  const pairs = Object.entries(values).map(([name, value]) => `${name}=${String(value).replaceAll(",", ",,")}`);
  return [...(first === undefined ? [] : [first]), ...pairs].join(",");
}

function memory(sizeMiB: number, mostMiB: number): string {
  return mostMiB > sizeMiB ? `size=${sizeMiB}M,slots=8,maxmem=${mostMiB}M` : `size=${sizeMiB}M`;
}

function disk(node: string, filename: string, device: string): readonly string[] {
  return [
    "-blockdev",
    JSON.stringify(qcow2Node(node, filename)),
    "-device",
    `virtio-blk-pci,drive=${node},id=${device}`,
  ];
}

function firmware(machine: Machine, start: Start): readonly string[] {
  if (machine.firmware === "bios" || start.ovmfCode === undefined) return [];
  const code = {
    driver: "raw",
    "node-name": "code",
    "read-only": true,
    file: { driver: "file", filename: start.ovmfCode },
  };
  return [
    ...["-blockdev", JSON.stringify(code)],
    ...["-blockdev", JSON.stringify(qcow2Node("vars", start.paths.disk("vars", 0)))],
    ...["-machine", "pflash0=code,pflash1=vars"],
  ];
}

function seed(machine: Machine, paths: MachinePaths): readonly string[] {
  if (machine.userData === "ignition")
    return ["-fw_cfg", options({ name: "opt/com.coreos/config", file: join(paths.seed, "user-data") })];
  const node = {
    driver: "raw",
    "node-name": "seed",
    "read-only": true,
    file: { driver: "file", filename: paths.seedImage },
  };
  return ["-blockdev", JSON.stringify(node), "-device", "virtio-blk-pci,drive=seed,id=d-seed"];
}

function network(nic: Nic, at: number, start: Start): readonly string[] {
  const id = `n${at}`;
  const driver = nic.model === "e1000" ? "e1000" : "virtio-net-pci";
  return ["-netdev", netdev(nic, id, start), "-device", `${driver},netdev=${id},mac=${nic.mac},id=nic${at}`];
}

function netdev({ net }: Nic, id: string, start: Start): string {
  switch (net.is) {
    case "user":
      return `user,id=${id},hostfwd=tcp:127.0.0.1:${net.sshPort}-:22`;
    case "isolated":
      return `socket,id=${id},mcast=230.0.0.1:${net.port},localaddr=127.0.0.1`;
    case "bridge":
      return options({ id, br: net.bridge, helper: start.bridgeHelper ?? "" }, "bridge");
  }
}

function socket(id: string, path: string): string {
  return `${options({ id, path }, "socket")},server=on,wait=off`;
}
