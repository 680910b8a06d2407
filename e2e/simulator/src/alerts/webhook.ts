import { createHmac } from "node:crypto";
import { Shapes } from "../checks/notation.ts";
import { Refusal, requireShape } from "../checks/refusal.ts";
import { headerOf, type Vendor } from "../vendor.ts";
import { createReceiver, secretOf, type ReceivedMessage } from "./receiver.ts";

const signatureSeconds = 300;

// docs/guide/alerts.md
const alert = new Shapes(String.raw`
  Alert = {
    id: filled, kind: /^[a-z]+(-[a-z]+)*$/ "the name of a kind", severity: "info" | "warning" | "error" | "critical",
    account: string, subject: filled, period: filled, summary: /^[^\r\n]+$/ "one line",
    time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ "an RFC 3339 time", details: record<string>
  };
`).of("Alert");

/**
 * Webhook of an operator. Every alert needs a signature header. The signature is verified only if the last part of the
 * path begins with `signed-`.
 */
export const webhook: Vendor = createReceiver({
  prefix: "/webhook",
  path: /^\/hooks\/[\w-]+$/,
  maxBytes: 64 * 1024,
  accept(message) {
    requireSignature(message);
    requireShape(message.body, alert);
    return { status: 200, body: {} };
  },
  renderError({ status, message: text }) {
    return { status, body: { error: { message: text } } };
  },
});

function requireSignature({ token, headers, text, seconds }: ReceivedMessage): void {
  const [, time = "", signature] =
    /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(headerOf(headers, "x-modelgate-signature")) ?? [];
  const secret = secretOf(token);
  const expected =
    secret === undefined ? signature : createHmac("sha256", secret).update(`${time}.${text}`).digest("hex");
  if (signature === undefined || signature !== expected || Math.abs(seconds - Number(time)) > signatureSeconds)
    throw new Refusal(401, "the signature is wrong");
}
