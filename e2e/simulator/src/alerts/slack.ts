import { isRecord, textAt } from "../checks/members.ts";
import { Shapes } from "../checks/notation.ts";
import { Refusal, requireShape } from "../checks/refusal.ts";
import { isBadKey, type Vendor } from "../vendor.ts";
import { createReceiver } from "./receiver.ts";

// https://docs.slack.dev/reference/block-kit/blocks
const message = new Shapes(String.raw`
  Heading = { type: "plain_text", text: /^[^]{1,150}$/ "1 to 150 characters", emoji?: boolean };
  Plain = { type: "plain_text", text: /^[^]{1,3000}$/ "1 to 3000 characters", emoji?: boolean };
  Marked = { type: "mrkdwn", text: /^[^]{1,3000}$/ "1 to 3000 characters", verbatim?: boolean };
  Block =
    | { type: "header", text: Heading, block_id?: string }
    | { type: "section", text: Plain | Marked, block_id?: string }
    | { type: "context", elements: (Plain | Marked)[1..10], block_id?: string }
    | { type: "divider", block_id?: string };
  Message = {
    text?: /^[^]{0,40000}$/ "40000 characters at most", blocks?: Block[0..50], mrkdwn?: boolean,
    unfurl_links?: boolean, unfurl_media?: boolean
  };
`).of("Message");

/** Slack's incoming webhooks. Errors are plain text. */
export const slack: Vendor = createReceiver({
  prefix: "/slack",
  path: /^\/services\/\w+\/\w+\/[\w-]+$/,
  maxBytes: 512 * 1024,
  accept({ token, body }) {
    if (isBadKey(token)) throw new Refusal(404, "no_service");
    if (!isRecord(body)) throw new Refusal(400, "invalid_payload");
    requireShape(body, message);
    // Slack shows this text in notifications.
    if ((textAt(body, "text") ?? "") === "") throw new Refusal(400, "no_text");
    return { status: 200, body: "ok" };
  },
  renderError({ status, path: [member], message: text }) {
    return { status, body: member === undefined ? text : member === "blocks" ? "invalid_blocks" : "invalid_payload" };
  },
});
