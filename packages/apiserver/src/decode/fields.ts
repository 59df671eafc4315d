// The fields of a message as JSON has them: inline members stand in the parent, under the names that Go gives them in messages.
import { type Field, message } from "@telltale/kinds/core";

export interface JsonField {
  readonly field: Field;
  /** The message that declares it. */
  readonly of: string;
  /** What Go puts before the name of an inlined field: `VolumeSource.` */
  readonly through: string;
}

/** The fields of a message by their names in JSON. */
export function fieldsOf(name: string): ReadonlyMap<string, JsonField> {
  let found = known.get(name);
  if (found === undefined) {
    found = inStructOrder(name, new Map(flatten(name, "")));
    known.set(name, found);
  }
  return found;
}

const known = new Map<string, ReadonlyMap<string, JsonField>>();

/** The type table has fields by their numbers. These were given numbers in another order than they stand in Go, which JSON follows. */
const structOrder: ReadonlyMap<string, string> = new Map(
  ["core.Container", "core.EphemeralContainer", "core.EphemeralContainerCommon"].map((name) => [
    name,
    "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
  ]),
);

function inStructOrder(name: string, fields: ReadonlyMap<string, JsonField>): ReadonlyMap<string, JsonField> {
  const order = structOrder.get(name)?.split(" ") ?? [];
  const first = order.flatMap((key): [string, JsonField][] => {
    const field = fields.get(key);
    return field === undefined ? [] : [[key, field]];
  });
  return new Map([...first, ...[...fields].filter(([key]) => !order.includes(key))]);
}

function* flatten(name: string, through: string): Generator<[string, JsonField]> {
  for (const field of message(name)?.fields ?? []) {
    if (field.inline && field.type.of === "message")
      yield* flatten(field.type.message, `${through}${shortName(field.type.message)}.`);
    else if (!field.wireOnly && field.name !== "-") yield [field.name, { field, of: name, through }];
  }
}

/** `core.Container` is `Container`. */
export const shortName = (name: string): string => name.slice(name.indexOf(".") + 1);

/** How a message that reads and writes its own JSON does it; `struct` is all the others. */
export type Form =
  | "struct"
  | "time"
  | "micro"
  | "quantity"
  | "int-or-string"
  | "raw"
  | "or-bool"
  | "or-array"
  | "or-strings"
  | "strings";

export function formOf(name: string): Form {
  return forms.get(name) ?? (name.endsWith(".ExtraValue") ? "strings" : "struct");
}

const forms: ReadonlyMap<string, Form> = new Map([
  ["meta.Time", "time"],
  ["meta.MicroTime", "micro"],
  ["resource.Quantity", "quantity"],
  ["intstr.IntOrString", "int-or-string"],
  ["runtime.RawExtension", "raw"],
  ["meta.FieldsV1", "raw"],
  ["apiextensions.JSON", "raw"],
  ["apiextensions.JSONSchemaPropsOrBool", "or-bool"],
  ["apiextensions.JSONSchemaPropsOrArray", "or-array"],
  ["apiextensions.JSONSchemaPropsOrStringArray", "or-strings"],
]);
