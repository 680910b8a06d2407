import { bodies } from "@modelgate/contracts";
import { Compile } from "typebox/compile";
import type { Ask } from "../../kind/ask.ts";
import { readChecked } from "../../kind/read-checked.ts";
import { askOfVectors } from "../hub/ask.ts";
import type { VectorsRequest } from "../hub/request.ts";
import { parseBatch, parseSingle } from "./parse-request.ts";

/** The members that decide what a call may do and cost, of either call. */
export const reliedOfContentEmbeddings = [
  ...Object.keys(bodies.EmbedContentRequest.properties),
  ...Object.keys(bodies.BatchEmbedContentsRequest.properties),
];

const single = Compile(bodies.EmbedContentRequest);
const batch = Compile(bodies.BatchEmbedContentsRequest);

/** Checks the body of :embedContent and says what the gateway must know. Throws Failure (400) naming the field. */
export function askOfEmbedContent(body: unknown, path: { readonly model: string }): Ask<VectorsRequest> {
  return askOfVectors(readChecked(body, single, (read) => parseSingle(read, path)));
}

/** Checks the body of :batchEmbedContents and says what the gateway must know. Throws Failure (400) naming the field. */
export function askOfBatchEmbedContents(body: unknown, path: { readonly model: string }): Ask<VectorsRequest> {
  return askOfVectors(readChecked(body, batch, (read) => parseBatch(read, path)));
}
