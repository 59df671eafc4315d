// Why a container was not started or a volume not made, in the words of its status or event.

/** The container waits with this reason and message, and is tried again. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: "CreateContainerConfigError" | "CreateContainerError";

  constructor(reason: Refusal["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The pod waits for this volume, and an event says why. */
export class MountFailure extends Error {
  override readonly name = "MountFailure";
}

/** Something of the manifest that no container could be made from. */
export function misconfigured(message: string): Refusal {
  return new Refusal("CreateContainerConfigError", message);
}

/** The system's code of an error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whatever went wrong, as the reason why a container waits. */
export function refusalOf(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal("CreateContainerError", textOf(error));
}
