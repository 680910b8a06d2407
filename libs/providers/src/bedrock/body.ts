import { present } from "@modelgate/contracts";
import { spliceMembers, withoutMembers } from "@modelgate/wires/json";
import type { AnswerCall } from "../call.ts";
import { claudeBody, wholeBody } from "../anthropic/index.ts";

/** The version of the messages wire that Bedrock speaks. */
const anthropicVersion = JSON.stringify("bedrock-2023-05-31");
/** Version of Cohere's rerank API. */
const rerankVersion = "2";

/** Returns the body of a request. The address holds the model and selects streaming. */
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

/** Returns a header's comma-separated names as a JSON list. */
function listOf(header: string): string {
  return JSON.stringify(header.split(",").map((name) => name.trim()));
}
