// `/-/faults`: rules over HTTP, for suites in other languages. Only the administrator may.
import { type JsonObject, stringify } from "../json.ts";
import type { Route } from "../route/handler.ts";
import { respond } from "../route/respond.ts";
import { badRequest, forbidden } from "../status.ts";
import type { Faults } from "./faults.ts";
import { readRule } from "./rule.ts";

export function faultsRoute(faults: Faults): Route {
  return async (call, info) => {
    const match = /^\/-\/faults(?:\/([^/]+))?$/.exec(info.path);
    if (match === null) return undefined;
    if (!call.user.groups.includes("system:masters")) {
      throw forbidden(
        { group: "", resource: "" },
        "",
        `User "${call.user.username}" cannot ${info.verb} path "${info.path}"`,
      );
    }
    const answer = (body: JsonObject, status = 200) => respond(status, stringify(body), "application/json");
    switch (call.request.method) {
      case "GET":
        return answer({ rules: faults.list() as never, hits: faults.log() as never });
      case "POST":
        return answer({ id: faults.add(readRule(call.request.body)) }, 201);
      case "DELETE":
        if (match[1] === undefined) faults.clear();
        else faults.remove(match[1]);
        return answer({});
      default:
        throw badRequest(`${call.request.method} on ${info.path}: use GET, POST or DELETE`);
    }
  };
}
