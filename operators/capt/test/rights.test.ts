// What the controllers ask for is within what they may do (13.1), part by part.
import { seededRandom, VirtualClock } from "@telltale/clock";
import { type Controller, excess, type PolicyRule, rbacRules } from "@telltale/runtime";
import { expect, test } from "vitest";
import { captClusters } from "../src/capt-cluster/controller.ts";
import { captControlPlanes } from "../src/capt-control-plane/controller.ts";
import { clusterBridge } from "../src/cluster-bridge/controller.ts";
import { Edges } from "../src/cluster-bridge/edges.ts";
import { type Config, parts, standardConfig } from "../src/config.ts";
import { ShapeFinder } from "../src/domain-shape.ts";
import { captMachineDeployments } from "../src/machines/deployment/controller.ts";
import { captMachines } from "../src/machines/machine/controller.ts";
import { captMachineSets } from "../src/machines/set/controller.ts";
import {
  bridgeMachineRights,
  bridgeRights,
  detectionRights,
  machineRights,
  managerRights,
  runnerRights,
  secretRights,
  workspaceRights,
} from "../src/manifests/rights.ts";
import { captOperator } from "../src/operator.ts";
import { workspaceRunner } from "../src/runner/controller.ts";
import { simulatedEngine } from "../src/runner/index.ts";
import { standardKinds } from "../src/server.ts";
import { workspaceTemplates } from "../src/workspace-template/controller.ts";
import { workspaceTemplateApplies } from "../src/workspace-template-apply/controller.ts";

const config = standardConfig;
const withMachines = { ...config, features: { machines: true } };
const kinds = standardKinds;
const edges = new Edges();
const shapes = new ShapeFinder("auto", kinds);
const clock = new VirtualClock();
const random = seededRandom(1);

const manager = [...managerRights, ...workspaceRights, ...detectionRights, ...secretRights];
const whole: Config = { ...withMachines, controllers: parts };
const cases: readonly (readonly [string, readonly Controller[], readonly PolicyRule[]])[] = [
  ["the infrastructure", [captClusters({ config, kinds, shape: () => shapes.shape })], manager],
  ["the control plane", [captControlPlanes({ config, kinds })], manager],
  ["templates and applies", [workspaceTemplates(config), workspaceTemplateApplies({ config, kinds })], manager],
  ["the bridge", [clusterBridge({ config, kinds, edges, shapes })], [...manager, ...bridgeRights]],
  [
    "the bridge with machines",
    [clusterBridge({ config: withMachines, kinds, edges, shapes })],
    [...manager, ...bridgeRights, ...machineRights, ...bridgeMachineRights],
  ],
  [
    "machines",
    [captMachines({ config, kinds }), captMachineSets({ config, kinds }), captMachineDeployments({ config, kinds })],
    [...manager, ...machineRights],
  ],
  [
    "the whole operator",
    captOperator({ config: whole, kinds }),
    [...manager, ...bridgeRights, ...machineRights, ...bridgeMachineRights],
  ],
  [
    "the runner",
    [workspaceRunner({ engine: simulatedEngine({ clock }), clock, random, namespace: "capt-system" }).controller],
    [...manager, ...runnerRights, ...secretRights],
  ],
];

test.each(cases)("13.1 %s asks for no more than its table has", (_, controllers, table) => {
  const asked = rbacRules(controllers);
  expect(asked.length).toBeGreaterThan(0);
  expect(excess(asked, table)).toEqual([]);
});
