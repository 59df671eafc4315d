// From a container of a pod to what is run for it: program, arguments, variables, folders. Pure; what cannot be run is refused.
import { join } from "node:path";
import { parseQuantity, quantityToBytes } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { References } from "../kubelet/pod-runtime.ts";
import { type Env, variables } from "./env.ts";
import { expand } from "./expand.ts";
import type { Place } from "./fields.ts";
import { type ImageTable, programOf } from "./images.ts";
import { type ContainerFolder, checkedAbsolute, type PodFolder } from "./layout.ts";
import { type Mount, mountsOf } from "./mounts.ts";
import { misconfigured, Refusal } from "./refusal.ts";
import { type Member, valueIn } from "./spec.ts";
import { translator } from "./translate.ts";

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly env: Env;
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  /** Where the program leaves its last words. */
  readonly terminationLog: string;
  /** More than this is killed. */
  readonly memoryBytes?: number;
  /** Puts real paths into a text of the container. */
  readonly translate: (text: string) => string;
  /** Also replaces `$(NAME)`. */
  readonly expand: (text: string) => string;
}

export interface LaunchRequest {
  readonly pod: Pod;
  readonly member: Member;
  readonly refers: References;
  readonly folder: PodFolder;
  readonly place: Place;
  /** The port to listen on, for each containerPort. */
  readonly ports: ReadonlyMap<number, number>;
  /** Variables of our own that a container gets, unless it says otherwise. */
  readonly inherited: Env;
  /** Variables by which we know our processes again. They come last. */
  readonly marks: Env;
  readonly images: ImageTable;
  readonly translatePaths: boolean;
}

export function planLaunch(request: LaunchRequest): Launch {
  const { pod, member, folder, translatePaths } = request;
  const { container, field } = member;
  const own = folder.container(container.name);
  const given = givenVariables(request, own);
  const declared = variables({ pod, container, refers: request.refers, place: request.place, given });
  const mounts = mountsOf(pod, member, folder, declared);
  const messagePath = checkedAbsolute(
    `${field}.terminationMessagePath`,
    container.terminationMessagePath || "/dev/termination-log",
  );
  const terminationLog = realPath(messagePath, mounts, own);
  const translate = translatePaths
    ? translator(new Map([...mounts.map(({ path, target }) => [path, target] as const), [messagePath, terminationLog]]))
    : (text: string) => text;
  const env = {
    ...Object.fromEntries(
      Object.entries(declared).map(([name, value]) => [name, value === given[name] ? value : translate(value)]),
    ),
    ...marks(request, own, mounts, terminationLog),
  };
  const expanded = (text: string) => translate(expand(text, (name) => valueIn(declared, name)));
  const argv = checkedArgv(argvOf(request).map(expanded), field);
  checkSizes(env, container.name);
  const workingDir = container.workingDir || "/";
  const limit = container.resources?.limits?.["memory"];
  return {
    argv,
    env,
    cwd: realPath(checkedAbsolute(`${field}.workingDir`, workingDir), mounts, own),
    mounts,
    terminationLog,
    ...(limit === undefined ? {} : { memoryBytes: bytesOf(limit, `${field}.resources.limits.memory`) }),
    translate,
    expand: expanded,
  };
}

function argvOf({ member: { container, field }, images }: LaunchRequest): readonly string[] {
  const { command = [], args = [], image = "" } = container;
  if (command.length > 0) return [...command, ...args];
  const program = programOf(images, image);
  if (program !== undefined) return [...program.command, ...(args.length > 0 ? args : (program.args ?? []))];
  throw new Refusal(
    "CreateContainerError",
    `image "${image}" has no command here, as pods run as local processes without images; set ${field}.command, ` +
      "or give the image a command in the image table of the process runtime",
  );
}

function givenVariables({ pod, member, place, ports, inherited, images }: LaunchRequest, own: ContainerFolder): Env {
  return {
    ...inherited,
    ...programOf(images, member.container.image ?? "")?.env,
    HOME: own.home,
    HOSTNAME: pod.spec?.hostname || (pod.metadata?.name ?? ""),
    POD_IP: place.podIP,
    ...Object.fromEntries([...ports].map(([containerPort, port]) => [`PORT_${containerPort}`, String(port)])),
  };
}

function marks(
  { pod, place, folder, marks: runtimeMarks }: LaunchRequest,
  own: ContainerFolder,
  mounts: readonly Mount[],
  terminationLog: string,
): Env {
  return {
    TELLTALE_POD_IP: place.podIP,
    TELLTALE_POD_UID: pod.metadata?.uid ?? "",
    TELLTALE_ROOT: own.rootfs,
    TELLTALE_TERMINATION_LOG: terminationLog,
    ...Object.fromEntries(mounts.map(({ volume }) => [mountVariable(volume), folder.volume(volume)])),
    ...runtimeMarks,
  };
}

function mountVariable(volume: string): string {
  return `TELLTALE_MOUNT_${volume.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
}

/** A path of the container: in the mount that it is below, or else under the container's root folder. */
function realPath(path: string, mounts: readonly Mount[], { rootfs }: ContainerFolder): string {
  const around = mounts
    .filter((mount) => path === mount.path || path.startsWith(`${mount.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  return around === undefined ? join(rootfs, path.slice(1)) : join(around.target, path.slice(around.path.length));
}

/** The system takes no single text longer than this, with the NUL byte at its end. */
const longestText = 131_072;

function checkedArgv(argv: readonly string[], field: string): readonly [string, ...string[]] {
  const [program = "", ...args] = argv;
  if (program === "") throw new Refusal("CreateContainerError", `${field}.command is empty; name a program`);
  argv.forEach((text, at) => {
    if (text.includes("\0"))
      throw new Refusal(
        "CreateContainerError",
        `word ${at} of ${field}.command and args has a NUL byte: ${shown(text)}`,
      );
    if (Buffer.byteLength(text) >= longestText)
      throw new Refusal(
        "CreateContainerError",
        `word ${at} of ${field}.command and args has ${Buffer.byteLength(text)} bytes, more than the ` +
          `${longestText - 1} that the system takes: ${shown(text)}`,
      );
  });
  return [program, ...args];
}

function checkSizes(env: Env, container: string): void {
  for (const [name, value] of Object.entries(env)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(value) + 1;
    if (size >= longestText)
      throw misconfigured(
        `variable ${shown(name)} of container ${container} has ${size} bytes, more than the ${longestText - 1} that the ` +
          "system takes; mount it as a file",
      );
  }
}

function bytesOf(limit: string | number, field: string): number {
  const quantity = parseQuantity(limit);
  if (quantity === undefined) throw misconfigured(`${field} is "${limit}", which is no quantity`);
  return quantityToBytes(quantity);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
