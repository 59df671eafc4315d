// The command line of the program, and the files that it names. What is wrong is told in one line: who typed it reads no stack.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { parseAllDocuments } from "yaml";
import { isObject, type JsonObject } from "./json.ts";

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      "data-dir": { type: "string" },
      repair: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      "kubeconfig-out": { type: "string" },
      token: { type: "string" },
      controllers: { type: "string", default: "core" },
      crds: { type: "string", multiple: true },
      "pod-security": { type: "string" },
      anonymous: { type: "boolean", default: false },
      "version-string": { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
    allowPositionals: true,
    tokens: true,
  });
}

export type Values = Omit<ReturnType<typeof parse>["values"], "crds"> & { readonly crds: readonly string[] };

/** The values, or what is wrong with them. */
export function readArguments(args: readonly string[]): Values | { readonly problem: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    // Its further sentences are about how to pass an argument that begins with a dash.
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
    return { problem: `${first.replace(/\.$/, "")}: see the options below` };
  }
  const { values, tokens } = parsed;
  const crds: string[] = [];
  let isOfCrds = false;
  for (const token of tokens) {
    if (token.kind === "positional") {
      if (!isOfCrds)
        return { problem: `${token.value}: an argument without an option; files of definitions follow --crds` };
      crds.push(token.value);
    } else {
      isOfCrds = token.kind === "option" && token.name === "crds";
      if (token.kind === "option" && token.name === "crds") crds.push(token.value ?? "");
    }
  }
  const { port, controllers } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return { problem: `--port ${port}: a port is a number from 0 to 65535` };
  if (controllers !== "none" && controllers !== "core")
    return { problem: `--controllers ${controllers}: use none or core` };
  return { ...values, crds };
}

/** The objects in a file of YAML or JSON. Throws an error that names the file and the line. */
export function objectsIn(file: string): JsonObject[] {
  const text = readFileSync(file, "utf8");
  return parseAllDocuments(text).flatMap((document, i) => {
    const [error] = document.errors;
    if (error !== undefined) throw new Error(`${file}: ${error.message.split("\n")[0]?.replace(/:$/, "")}`);
    const value: unknown = document.toJS();
    if (value === null) return [];
    if (!isObject(value)) throw new Error(`${file}: document ${i + 1} is no object`);
    return [value];
  });
}
