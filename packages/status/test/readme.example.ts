import { conditions, defineKind, Fields, Flag, Int32, instant, no, positive, type Resource, yes } from "@telltale/kinds";
import { draft, jsonPatch, text } from "@telltale/status";

const Door = defineKind({
  group: "house.example.com",
  version: "v1",
  kind: "Door",
  spec: Fields({ locked: Flag() }),
  status: Fields({ turns: Int32() }),
  conditions: conditions({
    Ready: positive({
      means: "The door is as the spec says",
      reasons: { Done: yes("It is"), Turning: no("The key is turning", "wait") },
    }),
  }),
});

const door: Resource<typeof Door> = {
  apiVersion: Door.apiVersion,
  kind: Door.kind,
  metadata: { name: "front", uid: "7d1", generation: 2 },
  spec: { locked: true },
  status: { observedGeneration: 1, turns: 1 },
};

export const next = draft(Door, door, instant(Date.parse("2026-01-01T00:00:00Z")))
  .set({ turns: 2 })
  .condition("Ready", false, "Turning", text`${2} of 3 turns`)
  .finish();

export const patch = jsonPatch(Door, door, next);
