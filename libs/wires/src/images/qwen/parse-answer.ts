import { Failure, present } from "@modelgate/contracts";
import { isRecord, type Fields, type JsonRecord } from "../../json/fields.ts";
import { readVendor } from "../../kind/index.ts";
import { countOf, unitsOf } from "../../text/hub/counts.ts";
import { noImages, type ImagesAnswer, type MadeImage } from "../hub/answer.ts";
import type { ImagesTask } from "../hub/codec.ts";

/** Images in one answer that are read; no vendor gives so many. */
const mostRead = 100;

/**
 * A vendor's answer: images at once, or a task on its way, done or failed. Of a task that failed in part the good
 * images are given. Throws Failure upstream_rejected (400) for what the vendor would not make, else upstream_error.
 */
export function parseAnswer(body: JsonRecord): ImagesAnswer | ImagesTask {
  const read = readVendor(body, (fields): ImagesAnswer | ImagesTask | Failure => {
    const output = fields.fields("output");
    if (output === undefined) return failed(fields);
    const status = output.text("task_status");
    if (status === "PENDING" || status === "RUNNING") return { task: output.needText("task_id") };
    const results = output.each("results", mostRead);
    const images = [...output.each("choices", mostRead).flatMap(inChoice), ...results.flatMap(inResult)];
    if (images.length > 0) return { images, ...tokensOf(body["usage"]) };
    return failed(status === undefined || status === "SUCCEEDED" ? (results[0] ?? output) : output);
  });
  if (read instanceof Failure) throw read;
  return read;
}

function inChoice(choice: Fields): readonly MadeImage[] {
  const message = choice.fields("message");
  return (message?.each("content", mostRead) ?? []).flatMap((part) => {
    const url = part.text("image");
    return url === undefined ? [] : [{ url }];
  });
}

function inResult(result: Fields): readonly MadeImage[] {
  const url = result.text("url");
  if (url === undefined) return [];
  const revised = result.text("actual_prompt");
  return [present({ url, revisedPrompt: revised })];
}

/** Most models report images, which are counted as they come; some report tokens too. */
function tokensOf(usage: unknown): Pick<ImagesAnswer, "tokens"> {
  if (!isRecord(usage)) return {};
  const [input, output] = [countOf(usage["input_tokens"]), countOf(usage["output_tokens"])];
  if ((input ?? 0) + (output ?? 0) === 0) return {};
  return { tokens: unitsOf({ inputTokens: input ?? 0, outputTokens: output ?? 0 }) };
}

/** What the vendor's own words say: a prompt or image that it would not take is the client's to change. */
function failed(output: Fields): Failure {
  const [code, message] = [output.text("code"), output.text("message")];
  if (code === undefined) return noImages();
  const isInput = /^(?:DataInspectionFailed|InvalidParameter|IPInfringementSuspect|InvalidURL)/.test(code);
  return new Failure(isInput ? "upstream_rejected" : "upstream_error", message, { vendorCode: code });
}
