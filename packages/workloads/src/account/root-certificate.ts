// The ConfigMap `kube-root-ca.crt` of every namespace: by it pods know the server.
import { ConfigMap, Namespace } from "@telltale/kinds/builtin";
import { type Controller, controller, type Hands } from "@telltale/runtime";
import { change } from "../objects/change.ts";
import { isEnding, unlessEnding } from "../objects/ending.ts";
import { isTerminating, nameOf } from "../pods/facts.ts";

const name = "kube-root-ca.crt";
const described = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

interface World {
  readonly namespace: string;
  readonly map: ConfigMap | undefined;
}

/** `certificate`: PEM. */
export function rootCertificates(certificate: string): Controller {
  const data = { "ca.crt": certificate };
  return controller(Namespace, "root-ca-certificate-publisher")
    .watches(ConfigMap, ({ old, new: next }) => [{ name: (next ?? old)?.metadata?.namespace ?? "" }], {
      field: `metadata.name=${name}`,
    })
    .writes(ConfigMap, "create", "patch")
    .gate((namespace) => (isEnding(namespace) ? "ignore" : "go"))
    .reconcile<World>({
      observe: (it, look) => ({ namespace: nameOf(it), map: look.get(ConfigMap, { namespace: nameOf(it), name }) }),
      act: (_plan, hands, world) => publish(hands, world, data),
      status: () => ({ status: undefined }),
    });
}

async function publish(
  hands: Hands<typeof Namespace>,
  { namespace, map }: World,
  data: Readonly<Record<string, string>>,
): Promise<void> {
  if (map === undefined) {
    const made = { metadata: { namespace, name, annotations: { [described]: description } }, data };
    await unlessEnding(() => hands.ensure(ConfigMap, made, { mode: "createOnly", owner: "none" }));
    return;
  }
  const annotations = { ...map.metadata?.annotations, [described]: description };
  const operations = change(map, { "/data": data, "/metadata/annotations": annotations });
  if (operations.length > 0 && !isTerminating(map)) await hands.patch(ConfigMap, map, operations);
}
