// Reading the server's state, as it is or as it was.
import type { ApiServer } from "@telltale/apiserver";
import type { KindRef, KubeObject } from "@telltale/kinds";
import type { Look } from "./scenario.ts";

/** `at`: a revision of the past. Default: as it is whenever somebody looks. */
export function lookAt({ store }: ApiServer, at?: number): Look {
  return {
    list: <T extends KubeObject>(kind: KindRef<T>) =>
      store
        .scan(`/${kind.group}/${kind.plural}/`, at === undefined ? {} : { at })
        .records.map((it) => it.object() as KubeObject as T),
  };
}
