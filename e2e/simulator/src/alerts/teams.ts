import { Shapes } from "../checks/notation.ts";
import { requireShape } from "../checks/refusal.ts";
import type { Vendor } from "../vendor.ts";
import { createReceiver } from "./receiver.ts";

// https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
// https://adaptivecards.io/explorer
const message = new Shapes(String.raw`
  Styled = {
    text: string, weight?: "Default" | "Lighter" | "Bolder", isSubtle?: boolean,
    size?: "Default" | "Small" | "Medium" | "Large" | "ExtraLarge",
    color?: "Default" | "Dark" | "Light" | "Accent" | "Good" | "Warning" | "Attention"
  };
  Run = { ...Styled, type: "TextRun", italic?: boolean };
  Element =
    | { ...Styled, type: "TextBlock", wrap?: boolean, maxLines?: integer(1) }
    | { type: "RichTextBlock", inlines: (string | Run)[1..], horizontalAlignment?: "Left" | "Center" | "Right" };
  Card = { type: "AdaptiveCard", version: /^1\.[0-5]$/ "a version of Teams", body: Element[1..100], ... };
  Attachment = {
    contentType: "application/vnd.microsoft.card.adaptive", contentUrl?: string | null, content: Card
  };
  Message = { type: "message", attachments: Attachment[1..10] };
`).of("Message");

/** Workflow that begins with "When a Teams webhook request is received". Refuses what the workflow could not post. */
export const teams: Vendor = createReceiver({
  prefix: "/teams",
  path: /^\/workflows\/[\w-]+\/triggers\/manual\/paths\/invoke$/,
  maxBytes: 28 * 1024,
  accept({ body }) {
    requireShape(body, message);
    return { status: 202, body: "" };
  },
  renderError({ status, message: text }) {
    const code = status === 400 ? "TriggerInputSchemaMismatch" : "RequestRefused";
    return { status, body: { error: { code, message: text } } };
  },
});
