// What an image stands for where there are no images: the program that its entrypoint would be. Pure.

import { isLike } from "../simulated/match.ts";

export interface ImageProgram {
  readonly command: readonly [string, ...string[]];
  /** Unless the container has args. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** By a glob on the image's name: `*` is any text, `?` any character. The first that matches counts. */
export type ImageTable = Readonly<Record<string, ImageProgram>>;

export function programOf(images: ImageTable, image: string): ImageProgram | undefined {
  for (const [glob, program] of Object.entries(images)) if (isLike(glob, image)) return program;
  return undefined;
}
