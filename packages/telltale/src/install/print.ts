// Manifests on the standard output: YAML for kubectl, or JSON.
import type { KubeObject } from "@telltale/kinds";
import { Document, parse, visit } from "yaml";

export const yamlOf = (objects: readonly KubeObject[]): string => objects.map(one).join("---\n");

function one(object: KubeObject): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      // Nowhere else can a character be escaped.
      if (typeof node.value === "string" && (unseen.test(node.value) || isOtherInOlder(node.value)))
        node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 }).replace(new RegExp(unseen, "gu"), escaped);
}

/** What a reader of YAML refuses as it is, such as kubectl, or no person sees. */
const unseen = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/u;

/** Whether YAML 1.1, which kubectl reads, takes it for something else than text: On is true there, and 1:30 is ninety. */
const isOtherInOlder = (text: string): boolean =>
  /^[\w.:+~-]{1,64}$/.test(text) && parse(text, { version: "1.1" }) !== text;

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
}

export const jsonOf = (items: readonly KubeObject[]): string =>
  JSON.stringify({ apiVersion: "v1", kind: "List", items }, undefined, 2);
