import { createHmac } from "node:crypto";
import { isRecord, textAt } from "../checks/members.ts";
import { Shapes } from "../checks/notation.ts";
import { Refusal, requireShape } from "../checks/refusal.ts";
import { isBadKey, type Vendor } from "../vendor.ts";
import { createReceiver, secretOf } from "./receiver.ts";

const signatureSeconds = 3_600;

// https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
const message = new Shapes(String.raw`
  Element =
    | { tag: "text", text: string, un_escape?: boolean }
    | { tag: "a", text: string, href: string }
    | { tag: "at", user_id: string, user_name?: string };
  Post = { title?: string, content: Element[][] };
  Signed = { timestamp?: /^\d{10}$/ "Unix seconds", sign?: string };
  Message =
    | { ...Signed, msg_type: "text", content: { text: filled } }
    | { ...Signed, msg_type: "post", content: { post: { zh_cn?: Post, en_us?: Post, ja_jp?: Post } } }
    | { ...Signed, msg_type: "interactive", card: object };
`).of("Message");

/**
 * Feishu's custom bots. A bot whose token begins with `signed-` checks signatures. Most refusals have the HTTP status
 * 200.
 */
export const feishu: Vendor = createReceiver({
  prefix: "/feishu",
  path: /^\/open-apis\/bot\/v2\/hook\/[\w-]+$/,
  maxBytes: 20 * 1024,
  accept({ token, body, seconds }) {
    if (isBadKey(token))
      throw new Refusal(200, "param invalid: incoming webhook access token invalid", { code: "19001" });
    if (!isRecord(body)) throw new Refusal(400, "Bad Request");
    if (body["msg_type"] === undefined) throw new Refusal(200, "params error, msg_type need", { code: "19002" });
    requireShape(body, message);
    const secret = secretOf(token);
    if (secret !== undefined && !isSigned(body, secret, seconds))
      throw new Refusal(200, "sign match fail or timestamp is not within one hour from current time", {
        code: "19021",
      });
    return { status: 200, body: { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" } };
  },
  renderError({ status, code = status === 400 || status === 413 ? "9499" : `${status}`, path, message: text }) {
    return { status, body: { code: Number(code), msg: path.length > 0 ? "Bad Request" : text, data: {} } };
  },
});

function isSigned(body: unknown, secret: string, seconds: number): boolean {
  const timestamp = textAt(body, "timestamp") ?? "";
  const sign = createHmac("sha256", `${timestamp}\n${secret}`).digest("base64");
  return textAt(body, "sign") === sign && Math.abs(seconds - Number(timestamp)) < signatureSeconds;
}
