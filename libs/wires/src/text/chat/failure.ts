import { isRecord } from "../../json/fields.ts";
import type { TextEvent } from "../hub/answer.ts";
import type { JsonObject } from "../hub/request.ts";

/**
 * What a vendor says in an answer or chunk of its failure; undefined where it says none. `error` is an object, or a
 * text; older servers make the whole body one (`object: "error"`).
 */
export function failureOf(body: JsonObject): Extract<TextEvent, { type: "failure" }> | undefined {
  const error = body["object"] === "error" ? body : body["error"];
  if (typeof error === "string") return { type: "failure", code: "server_error", message: error };
  if (!isRecord(error)) return undefined;
  const { code, type, message } = error;
  const said = [code, type].find((word) => typeof word === "string" && word !== "");
  return {
    type: "failure",
    code: typeof said === "string" ? said : "server_error",
    message: typeof message === "string" ? message : "",
    // Some write the status as the code.
    ...(typeof code === "number" ? { status: code } : {}),
  };
}
