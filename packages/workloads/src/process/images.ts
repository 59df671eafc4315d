// What an image stands for where there are no images: the program that its entrypoint would be. Pure.

export interface ImageProgram {
  readonly command: readonly [string, ...string[]];
  /** Unless the container has args. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** By a glob on the image's name: `*` is any text, `?` any character. The first that matches counts. */
export type ImageTable = Readonly<Record<string, ImageProgram>>;

export function programOf(images: ImageTable, image: string): ImageProgram | undefined {
  for (const [glob, program] of Object.entries(images)) if (matches(glob, image)) return program;
  return undefined;
}

function matches(glob: string, image: string): boolean {
  const pattern = glob
    .replace(/[\\^$.+()[\]{}|/-]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${pattern}$`, "s").test(image);
}
