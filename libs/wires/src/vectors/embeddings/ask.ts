import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Ask } from "../../kind/ask.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfVectors } from "../hub/ask.ts";
import type { VectorsRequest } from "../hub/request.ts";
import { parseRequest } from "./parse-request.ts";

/** The members that decide what a call may do and cost. */
export const reliedOfEmbeddings = Object.keys(bodies.EmbeddingsRequest.properties);

const shape = Compile(bodies.EngineEmbeddingsRequest);

/**
 * Checks a request for embeddings and says what the gateway must know. The model stands in the body, or in the path on
 * the engines endpoint. Throws Failure (400) naming the field.
 */
export function askOfEmbeddings(
  body: unknown,
  path: { readonly model?: string | undefined } = {},
): Ask<VectorsRequest> {
  return askOfVectors(readChecked(body, shape, (read) => parseRequest(read, path)));
}
