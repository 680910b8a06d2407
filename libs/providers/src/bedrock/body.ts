import { present } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/wires/json";
import type { AnswerCall } from "../call.ts";
import { claudeBody, wholeBody } from "../anthropic/index.ts";

/** The version of the messages wire that Bedrock speaks. */
const anthropicVersion = JSON.stringify("bedrock-2023-05-31");
/** The version of Cohere's rerank. */
const rerankVersion = "2";

/** The body of a request; the model, and whether it streams, are in its address. */
export function bodyOf(call: AnswerCall): Buffer {
  const { wire, model } = call;
  if (wire === "messages") {
    const betas = call.headers?.["anthropic-beta"];
    return claudeBody(
      call,
      present({ anthropic_version: anthropicVersion, anthropic_beta: betas === undefined ? undefined : listOf(betas) }),
      ["model", "stream"],
    );
  }
  const body = withoutMembers(wholeBody(call.body), ["model"]);
  return wire === "cohere-rerank" && model.includes("cohere.")
    ? spliceMembers(body, { api_version: rerankVersion })
    : body;
}

/** A header of names with commas, as a JSON list. */
function listOf(header: string): string {
  return JSON.stringify(header.split(",").map((name) => name.trim()));
}
