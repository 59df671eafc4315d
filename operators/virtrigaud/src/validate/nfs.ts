// Whether the parts of an NFS URL are only that (7.4): what stands in them ends up in a URL that a provider reads. Pure.
import type { VMMigrationSpec } from "../kinds/index.ts";
import { type Problem, problem, unless } from "./problem.ts";

type Nfs = NonNullable<NonNullable<VMMigrationSpec["storage"]>["nfs"]>;

export function nfsProblems({ server, export: root, path = "", uid, gid }: Nfs): readonly Problem[] {
  const at = "spec.storage.nfs";
  const owner = "use 0 to 4294967295";
  return [
    ...pieceProblems(`${at}.server`, server),
    ...unless(
      server !== "" && !server.includes("/"),
      `${at}.server`,
      server,
      "is no host",
      "give a name or an address",
    ),
    ...pieceProblems(`${at}.export`, root),
    ...unless(root.startsWith("/"), `${at}.export`, root, "is not absolute", "begin it with /"),
    ...pieceProblems(`${at}.path`, path),
    ...unless(isOwner(uid), `${at}.uid`, uid, "is no user", owner),
    ...unless(isOwner(gid), `${at}.gid`, gid, "is no group", owner),
  ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
const forbidden = /[\u0000-\u001f\u007f-\u009f\s?#&]|\.\./;

function pieceProblems(field: string, piece: string): readonly Problem[] {
  return forbidden.test(piece)
    ? [problem(field, piece, "has a character that means something else in a URL", "no spaces, ?, #, & or .. in it")]
    : [];
}

const isOwner = (id: number | undefined): boolean =>
  id === undefined || (Number.isInteger(id) && id >= 0 && id <= 4_294_967_295);
