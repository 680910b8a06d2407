import { Failure } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { Parsed } from "../../wire.ts";
import { readShared } from "../generations/parse-request.ts";
import type { VideoRequest } from "../hub/request.ts";

/**
 * Style C in the neutral form: interface section 2.3, or the vendor's own dialect, whose model is `model_name`, whose
 * pictures are bare Base64 and whose length is a text. `callback_url` and `external_task_id` stay with the gateway.
 */
export function parseRequest(body: JsonRecord): Parsed<VideoRequest> {
  const fields = new Fields(body);
  const [named, model] = [fields.text("model_name"), fields.text("model")];
  if (named !== undefined && model !== undefined && named !== model)
    throw new Failure("invalid_value", "model and model_name name different models.", { param: "model_name" });
  const dropped = ["callback_url", "external_task_id"].filter((name) => fields.has(name));
  fields.ignore("callback_url", "external_task_id");
  return { request: readShared(fields, named ?? model ?? fields.needText("model"), "kling-video"), dropped };
}
