// Keeps the volumes of one pod on disk as they should be: makes them before its containers begin, and brings those that are
// written by us up to date whenever what they hold has changed.
import { mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonicalJson, type Instant, plus, sha256Hex } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import type { References } from "../kubelet/pod-runtime.ts";
import type { Place } from "./fields.ts";
import { checkedName, type PodFolder } from "./layout.ts";
import { MountFailure, textOf } from "./refusal.ts";
import { replaceFiles } from "./volume-files.ts";
import { contentOf, type Files, tokenRequests, type VolumeContent } from "./volumes.ts";

interface Token {
  readonly token: string;
  /** When to ask for a new one: after four fifths of its time. */
  readonly renewAt: Instant;
}

export class VolumeMounter {
  readonly #root: string;
  readonly #folder: PodFolder;
  readonly #tokens = new Map<string, Token>();
  /** What was written to each volume last. */
  readonly #written = new Map<string, string>();

  constructor(root: string, folder: PodFolder) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Throws a MountFailure for the first volume that cannot be made. Gives when to come again. */
  async mount(pod: Pod, refers: References, place: Place, now: Instant): Promise<Instant | undefined> {
    const renewAt = await this.#renewTokens(pod, refers, now);
    const tokens = new Map([...this.#tokens].map(([key, { token }]) => [key, token]));
    for (const volume of pod.spec?.volumes ?? []) {
      const content = contentOf(volume, { pod, refers, place, tokens });
      try {
        await this.#make(volume.name, content, now);
      } catch (error) {
        throw new MountFailure(`MountVolume.SetUp failed for volume "${volume.name}" : ${textOf(error)}`);
      }
    }
    return renewAt;
  }

  async #renewTokens(pod: Pod, refers: References, now: Instant): Promise<Instant | undefined> {
    for (const { key, ...request } of tokenRequests(pod)) {
      const there = this.#tokens.get(key);
      if (there !== undefined && now < there.renewAt) continue;
      try {
        const { token, expires } = await refers.token(request);
        this.#tokens.set(key, { token, renewAt: plus(now, Math.max(1_000, (expires - now) * 0.8)) });
      } catch (error) {
        // The one that is there may still be good for a while.
        if (there === undefined)
          throw new MountFailure(`MountVolume.SetUp failed for volume "${key.split("/")[0]}" : ${textOf(error)}`);
        this.#tokens.set(key, { ...there, renewAt: plus(now, 10_000) });
      }
    }
    const moments = [...this.#tokens.values()].map(({ renewAt }) => renewAt);
    return moments.length === 0 ? undefined : plus(now, Math.min(...moments) - now);
  }

  async #make(name: string, content: VolumeContent, now: Instant): Promise<void> {
    const path = this.#folder.volume(name);
    if (content.is === "files") {
      const print = fingerprint(content.files);
      if (this.#written.get(name) === print) return;
      await replaceFiles(path, content.files, now);
      this.#written.set(name, print);
    } else if (content.is === "empty") await mkdir(path, { recursive: true });
    else await this.#link(path, content);
  }

  /** A claim is a folder beside the pods, which the pod's volume is a link to. It stays when the pod goes. */
  async #link(path: string, { namespace, name, uid }: { namespace: string; name: string; uid: string }): Promise<void> {
    const parts = [namespace, name, uid].map((part) => checkedName("the name of a claim", part));
    const target = join(this.#root, "claims", parts.join("_"));
    await mkdir(target, { recursive: true });
    if ((await readlink(path).catch(() => undefined)) === target) return;
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { recursive: true, force: true });
    await symlink(target, path);
  }
}

function fingerprint(files: Files): string {
  const parts = [...files].map(([path, { bytes, mode }]) => [path, mode, Buffer.from(bytes).toString("base64")]);
  return sha256Hex(canonicalJson(parts));
}
