export { durationProblems } from "./durations.ts";
export { type Problem, problem, told, toldAll } from "./problem.ts";
export { providerProblems } from "./provider.ts";
export { importedDiskProblems, virtualMachineProblems } from "./virtual-machine.ts";
export { vmClassProblems } from "./vm-class.ts";
export { vmImageProblems } from "./vm-image.ts";
export { networkProblems } from "./vm-network-attachment.ts";
