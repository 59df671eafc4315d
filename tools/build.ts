// `npm run build`: makes `dist/` of every package that is published: JavaScript, types and a package.json of its own.
// In the workspace a package's `exports` name its sources; npm takes `exports` from nowhere but package.json, so that the
// built one has its own. `npm publish packages/kinds/dist` publishes it. All modules behind an entry are one file: to load
// a hundred small ones takes three times as long and 10 MB more.
import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname, isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { isTest } from "./rules/source.ts";

type Exports = string | { readonly [condition: string]: Exports };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Exports;
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Package {
  readonly folder: string;
  readonly manifest: Manifest;
}

const root = fileURLToPath(new URL("..", import.meta.url));

const packages = inOrder(publishable());
for (const it of packages) {
  if (await build(it))
    console.log(`built ${it.manifest.name} ${it.manifest.version} in ${relative(root, it.folder)}/dist`);
  else {
    console.error(`build: tsc found errors in ${it.manifest.name}; they are above`);
    process.exitCode = 1;
    break; // what is built on it would only repeat them
  }
}

function publishable(): Package[] {
  return globSync("{packages,operators}/*/package.json", { cwd: root })
    .sort()
    .map((path) => ({
      folder: join(root, dirname(path)),
      manifest: JSON.parse(readFileSync(join(root, path), "utf8")) as Manifest,
    }))
    .filter(({ folder, manifest }) => !manifest.private && existsSync(join(folder, "src")));
}

/** Each package after those it is built on. */
function inOrder(all: readonly Package[]): Package[] {
  const done = new Set<Package>();
  const visit = (it: Package) => {
    for (const other of all) {
      if (!done.has(other) && other !== it && it.manifest.dependencies?.[other.manifest.name]) visit(other);
    }
    done.add(it);
  };
  all.forEach(visit);
  return [...done];
}

async function build({ folder, manifest }: Package): Promise<boolean> {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  const config = join(dist, "tsconfig.json");
  writeFileSync(config, JSON.stringify(tsconfig(folder)));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--project", config], { stdio: "inherit" });
  rmSync(config);
  if (status !== 0) return false;
  await bundle(folder, manifest);

  for (const path of globSync("src/**/*.*", { cwd: folder })) {
    const isSource = [".ts", ".tsx"].includes(extname(path)) && !path.endsWith(".d.ts");
    const isAsset = !isSource && !/(^|\/)fixtures\//.test(path) && !/\.golden\./.test(path);
    if (isAsset) cpSync(join(folder, path), join(dist, relative("src", path)));
  }
  // Manifests that a person would apply are part of an operator.
  if (existsSync(join(folder, "samples"))) cpSync(join(folder, "samples"), join(dist, "samples"), { recursive: true });
  if (existsSync(join(folder, "README.md"))) copyFileSync(join(folder, "README.md"), join(dist, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(dist, "LICENSE"));
  writeFileSync(join(dist, "package.json"), `${JSON.stringify(published(manifest), null, 2)}\n`);
  return true;
}

/** One file for each entry, and files for what several of them share or what is loaded later. */
async function bundle(folder: string, { exports = {}, bin = {} }: Manifest): Promise<void> {
  const entries = [...sourcesIn(exports), ...sourcesIn(bin)];
  const bundled = await rolldown({
    input: Object.fromEntries(entries.map((path) => [builtPath(path, "default").slice(2, -3), join(folder, path)])),
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    plugins: [programs()],
  });
  const names = { entryFileNames: "[name].js", chunkFileNames: "shared/[name]-[hash].js" };
  await bundled.write({ dir: join(folder, "dist"), format: "esm", sourcemap: true, ...names });
  await bundled.close();
}

/** A program that a package starts as a process of its own has a file of its own: where sources name it, what was built of it is meant. */
function programs(): Plugin {
  return {
    name: "programs",
    transform(code, id) {
      const named = /new URL\("\.\/([\w-]+)\.ts", import\.meta\.url\)/g;
      if (!named.test(code)) return undefined;
      const changed = code.replace(named, (_, name: string) => {
        const file = this.emitFile({ type: "chunk", name, id: join(dirname(id), `${name}.ts`) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${file})`;
      });
      return { code: changed, map: null }; // every line is where it was
    },
  };
}

/** The sources that `exports` or `bin` name. */
function sourcesIn(exports: Exports): string[] {
  if (typeof exports === "string") return /^(\.\/)?src\/.*\.tsx?$/.test(exports) ? [exports] : [];
  return [...new Set(Object.values(exports).flatMap(sourcesIn))];
}

function tsconfig(folder: string): object {
  const sources = globSync("src/**/*.{ts,tsx}", { cwd: folder })
    .sort()
    .map((path) => join(folder, path))
    .filter((path) => !isTest(relative(root, path)));
  return {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      rootDir: join(folder, "src"),
      outDir: join(folder, "dist"),
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      paths: Object.fromEntries(packages.flatMap(builtTypes)),
    },
    files: sources,
    include: [],
  };
}

/** Where the types of an already built package are, so that tsc does not compile its sources again into ours. */
function builtTypes({ folder, manifest }: Package): [string, string[]][] {
  const { exports = {} } = manifest;
  const entries = typeof exports === "string" || !("." in exports) ? { ".": exports } : exports;
  return Object.entries(entries).flatMap(([path, target]) => {
    const source = typeof target === "string" ? target : (target["types"] ?? target["default"]);
    if (typeof source !== "string") return [];
    return [[join(manifest.name, path), [join(folder, "dist", builtPath(source, "types"))]] as [string, string[]]];
  });
}

function published(manifest: Manifest): object {
  const { exports, bin, ...rest } = manifest;
  const kept = Object.entries(rest).filter(([key]) => !["scripts", "files", "devDependencies"].includes(key));
  return {
    ...Object.fromEntries(kept),
    ...(exports === undefined ? {} : { exports: builtExports(exports) }),
    ...(bin === undefined ? {} : { bin: builtExports(bin) }),
  };
}

function builtExports(exports: Exports, condition = "default"): Exports {
  if (typeof exports === "string") return builtPath(exports, condition);
  return Object.fromEntries(Object.entries(exports).map(([key, value]) => [key, builtExports(value, key)]));
}

/** `./src/index.ts` is `./index.js`, and its types are `./index.d.ts`. */
function builtPath(source: string, condition: string): string {
  return source.replace(/^(\.\/)?src\//, "./").replace(/\.tsx?$/, condition === "types" ? ".d.ts" : ".js");
}
