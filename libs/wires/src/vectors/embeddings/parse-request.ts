import { Failure, present } from "@modelgate/contracts";
import { Fields, type JsonRecord } from "../../json/fields.ts";
import type { ParsedRequest } from "../../kind/codec.ts";
import { ownMembers } from "../../kind/own-members.ts";
import type { VectorsRequest } from "../hub/request.ts";
import { parseTurns } from "./parse-input.ts";
import { taskOf } from "./tasks.ts";

/**
 * A request for embeddings in the neutral form. Unknown members travel on to vendors of this wire. A model in the
 * path (the engines endpoint) wins; another one in the body is refused.
 */
export function parseRequest(
  body: JsonRecord,
  path: { readonly model?: string | undefined } = {},
): ParsedRequest<VectorsRequest> {
  const fields = new Fields(body);
  const model = modelOf(fields, path.model);
  const contents = parseTurns(fields);
  const { task, read } = taskOf(body);
  const request: VectorsRequest = {
    model,
    inputs: contents.map((content) => present({ content, task })),
    ...present({
      dimensions: fields.count("dimensions", 1),
      encoding: fields.word("encoding_format", ["float", "base64"]),
      user: fields.text("user"),
      own: ownMembers("embeddings", fields, read),
    }),
  };
  return { request, dropped: [] };
}

function modelOf(fields: Fields, inPath: string | undefined): string {
  if (inPath === undefined) return fields.needText("model");
  const inBody = fields.text("model") ?? inPath;
  if (inBody === inPath) return inPath;
  throw new Failure("invalid_value", `model is ${JSON.stringify(inPath)} in the path, but different in the body.`, {
    param: "model",
  });
}
