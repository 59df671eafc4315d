// Real components for suites: where they are, and a control plane made of them.
export { assetsFor, buildAssets, findAssets, kubernetesVersion } from "./assets.ts";
export { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
export { type Answer, send, until } from "./send.ts";
