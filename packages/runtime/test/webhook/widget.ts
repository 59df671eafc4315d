// A kind with two versions, phases and conditions, for the webhooks' tests.
import {
  conditions,
  defineKind,
  Fields,
  Int32,
  no,
  Optional,
  phases,
  positive,
  Text,
  version,
  yes,
} from "@telltale/kinds";
import type { Log, Fields as LogFields } from "../../src/log.ts";

interface Hub {
  size: number;
  note?: string;
}

export const Widget = defineKind({
  group: "example.com",
  version: "v2",
  kind: "Widget",
  spec: Fields({ size: Int32({ minimum: 0 }), note: Optional(Text({ maxLength: 200 })) }),
  status: Fields({ seen: Optional(Int32()) }),
  phases: phases({ Waiting: ["Running"], Running: ["Done"] }, { final: ["Done"] }),
  conditions: conditions({
    Ready: positive({ means: "It works", reasons: { Fine: yes("It is fine"), Broken: no("It is broken", "mend it") } }),
  }),
  versions: [
    version({
      name: "v1",
      spec: Fields({ bigness: Int32(), note: Optional(Text({ maxLength: 200 })) }),
      deprecated: true,
      toHub: ({ spec, ...o }) => {
        if (spec?.note === "odd") throw new RangeError("an odd note has no place in v2, password=hunter2");
        return {
          ...o,
          spec: { size: spec?.bigness ?? 0, ...(spec?.note === undefined ? {} : { note: spec.note }) } as Hub,
        };
      },
      fromHub: ({ spec, ...o }) => ({
        ...o,
        metadata: { ...o.metadata, name: "other", uid: "other", labels: { ...o.metadata.labels, from: "hub" } },
        spec: { bigness: spec?.size ?? 0, ...(spec?.note === undefined ? {} : { note: spec.note }) },
      }),
    }),
  ],
});

export function widget(spec: object, more: { metadata?: object; status?: object; apiVersion?: string } = {}) {
  return {
    apiVersion: more.apiVersion ?? "example.com/v2",
    kind: "Widget",
    metadata: { name: "w", namespace: "web", uid: "u", generation: 1, ...more.metadata },
    spec,
    ...(more.status === undefined ? {} : { status: more.status }),
  };
}

export function admissionReview(request: object): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "r-1",
      kind: { group: "example.com", version: "v2", kind: "Widget" },
      resource: { group: "example.com", version: "v2", resource: "widgets" },
      name: "w",
      namespace: "web",
      operation: "CREATE",
      userInfo: { username: "jane", groups: ["dev"] },
      object: null,
      oldObject: null,
      dryRun: false,
      ...request,
    },
  });
}

/** A log that remembers. */
export function remembering(): Log & { readonly lines: { level: string; message: string; fields: LogFields }[] } {
  const lines: { level: string; message: string; fields: LogFields }[] = [];
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields });
  const log = { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error"), with: () => log };
  return log;
}
