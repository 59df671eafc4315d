// Who runs Workspaces in long campaigns: Crossplane's provider, as far as anybody can see. A Workspace is ready some time after it was
// made, and its outputs are in its Secret; one that goes is destroyed first. Several times as many plans are tried in the same time; our
// own runner is in campaigns of its own.
import { Buffer } from "node:buffer";
import { type Instant, type Ms, parseTime, plus } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Controller, controller, done, type Hands, waiting } from "@telltale/runtime";
import { Workspace } from "../src/kinds/workspace.ts";
import { annotations, labels } from "../src/names.ts";

/** How the run of a Workspace goes, counted from when it was made. */
export interface Course {
  /** Until then it fails. */
  readonly failsFor?: Ms;
  readonly takes: Ms;
  /** Nothing but an edit would help. */
  readonly isHopeless?: boolean;
}

export interface QuickProviderOptions {
  readonly outputs: Readonly<Record<string, string>>;
  /** By the name of its apply. */
  readonly courseOf: (apply: string) => Course;
}

const destroying: Ms = 2_000;

interface World {
  readonly workspace: Workspace;
  readonly course: Course;
  readonly madeAt: Instant;
}

export function quickProvider({ outputs, courseOf }: QuickProviderOptions): Controller {
  const data = Object.fromEntries(
    Object.entries(outputs).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return controller(Workspace, "quick-provider")
    .owns(Secret)
    .finalize(
      async ({ metadata }, hands) => {
        const since = parseTime(metadata.deletionTimestamp) ?? hands.now;
        return hands.now < plus(since, destroying) ? waiting(destroying) : done;
      },
      { quiet: true },
    )
    .reconcile<World>({
      observe: (workspace, look) => ({
        workspace,
        course: courseOf(workspace.metadata.labels?.[labels.applyName] ?? ""),
        madeAt: parseTime(workspace.metadata.creationTimestamp) ?? look.now,
      }),
      act: async (_none, hands, world) => {
        if (stateOf(world, hands.now) === "ready") await connect(world.workspace, hands, data);
        if (world.course.isHopeless) await hands.annotate({ [annotations.errorClass]: "InvalidConfiguration" });
        return world;
      },
      status(world, draft, now) {
        const { course, madeAt } = world;
        const state = stateOf(world, now);
        // Before its first run has ended the provider says nothing.
        if (state === "making") draft.aside().keep("Ready", "Synced");
        if (state === "failing") draft.condition("Synced", false, "ReconcileError", "it broke").keep("Ready");
        if (state === "ready") {
          draft.condition("Synced", true, "ReconcileSuccess", "").condition("Ready", true, "Available", "");
          draft.set({ atProvider: { outputs } });
        }
        if (state !== "ready" && course.isHopeless !== true) {
          const { failsFor = 0, takes } = course;
          draft.wake(plus(madeAt, state === "failing" ? failsFor : takes));
        }
      },
    });
}

function stateOf({ course, madeAt }: World, now: Instant): "failing" | "making" | "ready" {
  const { failsFor = 0, takes, isHopeless = false } = course;
  if (isHopeless || now < plus(madeAt, failsFor)) return "failing";
  return now < plus(madeAt, takes) ? "making" : "ready";
}

async function connect(
  { spec }: Workspace,
  hands: Hands<typeof Workspace>,
  data: Record<string, string>,
): Promise<void> {
  const place = spec.writeConnectionSecretToRef;
  if (place !== undefined) await hands.ensure(Secret, { metadata: { ...place }, data });
}
