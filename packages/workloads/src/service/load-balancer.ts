// Services of type LoadBalancer: reached at the loopback address, where everything of the embedded server is.
import { Service } from "@telltale/kinds/builtin";
import { type Controller, controller } from "@telltale/runtime";

type Status = NonNullable<Service["status"]>;

const ingress = [{ ip: "127.0.0.1", ipMode: "VIP" }];

export function loadBalancers(): Controller {
  return controller(Service, "service-controller").reconcile({
    observe: (service) => service,
    status: (_world, service) => ({ status: statusOf(service) }),
  });
}

/** One with a class is the business of whoever knows the class. One that is none any more has no address. */
export function statusOf({ spec, status }: Service): Status | undefined {
  if (spec?.type === "LoadBalancer") {
    return spec.loadBalancerClass === undefined ? { ...status, loadBalancer: { ingress } } : undefined;
  }
  return (status?.loadBalancer?.ingress ?? []).length > 0 ? { ...status, loadBalancer: {} } : undefined;
}
