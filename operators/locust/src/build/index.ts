// Resources out of a spec. Pure: the same test and configuration always give the same objects.
export { buildArgs, managedFlags, repeatedFlags, tokensOf } from "./args.ts";
export { buildJob } from "./job.ts";
export {
  appliedGenerationAnnotation,
  appliedSpecHashAnnotation,
  podLabel,
  reservedLabels,
  specHash,
  testLabel,
} from "./labels.ts";
export { libraryVolume, nodeName } from "./names.ts";
export { type Note, notesOn } from "./notes.ts";
export { buildService } from "./service.ts";
export { webOptions } from "./sidecar.ts";
export { libraryPath, sourcePath } from "./volumes.ts";
