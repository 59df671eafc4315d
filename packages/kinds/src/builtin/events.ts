// The kinds of `events.k8s.io/v1`. The event of the core group is `CoreEvent`.
import type * as events from "kubernetes-types/events/v1.d.ts";
import { builtin } from "../builtin-kind.ts";

const v1 = { group: "events.k8s.io", version: "v1" };

export const Event = builtin<events.Event>()({ ...v1, kind: "Event", shortNames: ["ev"] });
export type Event = events.Event;
