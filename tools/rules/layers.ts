// The arrows of dependency between our packages, and the few packages that may use nothing else.
// The table is the house of CONTRIBUTING.md: change both, or neither.
import { posix } from "node:path";
import { type File, importsOf, isTest, isTypeScript, lineAt, type Violation } from "./source.ts";

const everything = "everything";

/** What a package may use. An operator is `operators/*`, and no operator is in another's list. */
const mayUse: Readonly<Record<string, readonly string[] | typeof everything>> = {
  "packages/kinds": [],
  "packages/status": ["packages/kinds"],
  "packages/clock": ["packages/kinds"],
  "packages/certificates": ["packages/kinds", "packages/clock"],
  "packages/client": ["packages/kinds", "packages/clock"],
  "packages/apiserver": ["packages/kinds", "packages/clock", "packages/certificates"],
  "packages/runtime": [
    "packages/kinds",
    "packages/clock",
    "packages/certificates",
    "packages/status",
    "packages/client",
  ],
  "packages/workloads": ["packages/kinds", "packages/clock", "packages/status", "packages/client", "packages/runtime"],
  "operators/*": ["packages/kinds", "packages/clock", "packages/status", "packages/client", "packages/runtime"],
  "packages/simulation": [
    "packages/kinds",
    "packages/clock",
    "packages/status",
    "packages/client",
    "packages/runtime",
    "packages/apiserver",
    "packages/workloads",
  ],
  "packages/telltale": everything,
  bench: everything,
};

/** What a package's tests may use on top. */
const testsMayUse: Readonly<Record<string, readonly string[]>> = {
  "packages/runtime": ["packages/apiserver"],
  "packages/workloads": ["packages/apiserver"],
  "operators/*": ["packages/apiserver", "packages/certificates", "packages/workloads", "packages/simulation"],
  "packages/simulation": ["operators/*"],
};

/** The packages that are values and pure functions: what they may use from outside. */
const outside: Readonly<Record<string, readonly string[]>> = {
  "packages/kinds": ["typebox", "kubernetes-types"],
  "packages/status": [],
};
const outsideInTests: readonly string[] = ["vitest", "fast-check"];

/** Modules outside every package that any test may reach by a relative path. */
const openToTests: readonly string[] = [
  "tools/envtest/",
  "tools/locust/",
  "tools/grpc-python/",
  "tools/bind/",
  "tools/bindcar/",
  "tools/qemu/",
  "tools/require.ts",
  "tools/tofu/",
  "tools/helm/",
  "tools/deploy/",
];

interface Package {
  readonly folder: string;
  readonly row: string;
  readonly manifest: File;
  readonly json: Manifest;
}

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Every import and every dependency that goes against the arrows. */
export function layers(files: readonly File[]): Violation[] {
  const packages = packagesIn(files);
  const rows = new Map(packages.map((it) => [it.json.name ?? it.folder, it.row]));
  return packages.flatMap((it) => [
    ...unknownPackage(it),
    ...manifest(it, rows),
    ...files
      .filter(({ path }) => path.startsWith(`${it.folder}/`) && isTypeScript(path))
      .flatMap((file) => imports(it, file, rows)),
  ]);
}

function packagesIn(files: readonly File[]): Package[] {
  return files.flatMap((file) => {
    const folder = /^((?:packages|operators)\/[^/]+|bench)\/package\.json$/.exec(file.path)?.[1];
    if (folder === undefined) return [];
    const row = folder.startsWith("operators/") ? "operators/*" : folder;
    return [{ folder, row, manifest: file, json: JSON.parse(file.text) as Manifest }];
  });
}

function unknownPackage({ row, manifest }: Package): Violation[] {
  if (mayUse[row] !== undefined) return [];
  const message = `${row} has no row in the table of layers; add it to tools/rules/layers.ts and to CONTRIBUTING.md`;
  return [{ file: manifest.path, line: 1, rule: "layers", message }];
}

function manifest(it: Package, rows: ReadonlyMap<string, string>): Violation[] {
  const { dependencies, peerDependencies, optionalDependencies, devDependencies } = it.json;
  const check = (names: readonly string[], inTest: boolean) =>
    names.flatMap((name) => {
      const message = forbidden(it, name, inTest, rows);
      const line = lineAt(it.manifest.text, it.manifest.text.lastIndexOf(`"${name}"`));
      return message === undefined ? [] : [{ file: it.manifest.path, line, rule: "layers", message }];
    });
  return [
    ...check(Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies }), false),
    ...check(Object.keys(devDependencies ?? {}), true),
  ];
}

function imports(it: Package, file: File, rows: ReadonlyMap<string, string>): Violation[] {
  const inTest = isTest(file.path);
  return importsOf(file.text).flatMap(({ specifier, line }) => {
    const message = specifier.startsWith(".")
      ? leaves(it, file.path, specifier, inTest)
      : forbidden(it, packageOf(specifier), inTest, rows);
    return message === undefined ? [] : [{ file: file.path, line, rule: "layers", message }];
  });
}

function leaves(it: Package, path: string, specifier: string, inTest: boolean): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  if (target === it.folder || target.startsWith(`${it.folder}/`)) return undefined;
  const isOpen = openToTests.some((folder) => target.startsWith(folder));
  if (isOpen && (inTest || mayUse[it.row] === everything)) return undefined;
  return `"${specifier}" leaves ${it.folder}; import the other package by its name`;
}

/** Why a package may not use another one, or undefined when it may. */
function forbidden(it: Package, name: string, inTest: boolean, rows: ReadonlyMap<string, string>): string | undefined {
  const target = rows.get(name) ?? (name.startsWith("@telltale/") ? name : undefined);
  if (target === undefined) return forbiddenOutside(it, name, inTest);
  const allowed = mayUse[it.row] ?? [];
  if (name === it.json.name || allowed === everything || allowed.includes(target)) return undefined;
  if (testsMayUse[it.row]?.includes(target)) {
    return inTest ? undefined : `${it.folder} may use ${name} only in its tests; move this to a test`;
  }
  const list = allowed.length === 0 ? "none of our packages" : allowed.join(", ");
  return `${it.folder} may not use ${name}, only ${list}; move the code to the side of the arrow that may know both`;
}

function forbiddenOutside(it: Package, name: string, inTest: boolean): string | undefined {
  const allowed = outside[it.row];
  if (allowed === undefined || name.startsWith("node:") || allowed.includes(name)) return undefined;
  if (inTest && outsideInTests.includes(name)) return undefined;
  const list = allowed.length === 0 ? "no package from outside" : `only ${allowed.join(", ")} from outside`;
  return `${it.folder} may use ${list}, not ${name}; do this in a package further up`;
}

/** `@telltale/kinds/core` is `@telltale/kinds`; `typebox/value` is `typebox`. */
function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
