// What a runtime gives the kubelet is what the API server takes: two declarations, as neither may know the other.
import type { PodAccess as ServerPodAccess } from "@telltale/apiserver";
import { expectTypeOf, test } from "vitest";
import type { PodAccess } from "./pod-runtime.ts";

test("a runtime's access to pods can be handed to the API server, and the reverse", () => {
  expectTypeOf<PodAccess>().toExtend<ServerPodAccess>();
  expectTypeOf<ServerPodAccess>().toExtend<PodAccess>();
});
