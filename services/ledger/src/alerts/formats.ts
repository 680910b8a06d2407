import { createHash, createHmac } from "node:crypto";
import { inOneLine, type Alert, type AlertTargetKind, type AlertTargetSecret } from "@modelgate/contracts";

/** Body and headers of a request that delivers an alert. */
export interface AlertRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Maximum characters of: a heading in Slack; a text in Slack, Microsoft Teams and Feishu; a summary in PagerDuty. */
const [maxHeading, maxText, maxSummary] = [150, 3_000, 1_024];
/** Maximum characters of a deduplication key in PagerDuty. */
const maxDedupKey = 255;

type Format = (alert: Alert, secret: AlertTargetSecret, nowMs: number) => object;

/**
 * Functions that render an alert, by kind of target. They render plain text, because names in it could contain markup.
 */
const formats: Readonly<Record<Exclude<AlertTargetKind, "email">, Format>> = {
  webhook: (alert) => alert,
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
  slack: (alert) => ({
    text: escapedForSlack(`${titleOf(alert)}: ${textOf(alert)}`),
    blocks: [
      { type: "header", text: { type: "plain_text", text: titleOf(alert).slice(0, maxHeading) } },
      { type: "section", text: { type: "plain_text", text: textOf(alert) } },
      { type: "context", elements: [{ type: "plain_text", text: `${alert.severity}, ${alert.time}` }] },
    ],
  }),
  // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
  teams: (alert) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.4",
          body: [
            textLine({ text: titleOf(alert), weight: "Bolder", size: "Medium" }),
            textLine({ text: textOf(alert) }),
            textLine({ text: `${alert.severity}, ${alert.time}`, isSubtle: true }),
          ],
        },
      },
    ],
  }),
  // https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
  feishu: (alert, { secret }, nowMs) => ({
    ...(secret === undefined ? {} : feishuSignature(secret, nowMs)),
    msg_type: "post",
    content: {
      post: {
        en_us: {
          title: titleOf(alert),
          content: [
            [{ tag: "text", text: textOf(alert) }],
            [{ tag: "text", text: `${alert.severity}, ${alert.time}` }],
          ],
        },
      },
    },
  }),
  // https://developer.pagerduty.com/docs/events-api-v2-overview
  pagerduty: (alert, { secret }) => {
    const event = { routing_key: secret, dedup_key: dedupKey(alert) };
    if (alert.kind === "channel-recovered") return { ...event, event_action: "resolve" };
    const { summary, severity, time, account, subject, kind, details } = alert;
    return {
      ...event,
      event_action: "trigger",
      client: "modelgate",
      payload: {
        summary: inOneLine(summary, maxSummary),
        source: "modelgate",
        severity,
        timestamp: time,
        component: subject,
        ...(account === "" ? {} : { group: account }),
        class: kind,
        custom_details: details,
      },
    };
  },
};

/** Renders an alert as a request for a target. */
export function alertRequest(
  kind: Exclude<AlertTargetKind, "email">,
  alert: Alert,
  secret: AlertTargetSecret,
  nowMs: number,
): AlertRequest {
  const body = JSON.stringify(formats[kind](alert, secret, nowMs));
  const headers = { "content-type": "application/json", "user-agent": "modelgate" };
  if (kind !== "webhook") return { body, headers };
  const seconds = Math.floor(nowMs / 1_000);
  const signature = createHmac("sha256", secret.secret ?? "")
    .update(`${seconds}.${body}`)
    .digest("hex");
  return { body, headers: { ...headers, "x-modelgate-signature": `t=${seconds},v1=${signature}` } };
}

/** Renders an alert as an e-mail. */
export function alertMail(alert: Alert): { readonly subject: string; readonly text: string } {
  const { summary, severity, time, details, id } = alert;
  const lines = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return {
    subject: `[modelgate] ${summary}`,
    text: [summary, "", `severity: ${severity}`, `time: ${time}`, ...lines, `alert: ${id}`, ""].join("\n"),
  };
}

function titleOf({ kind }: Alert): string {
  return `modelgate: ${kind.replaceAll("-", " ")}`;
}

function textOf({ summary }: Alert): string {
  return inOneLine(summary, maxText);
}

function textLine(run: Readonly<Record<string, unknown>>): object {
  return { type: "RichTextBlock", inlines: [{ type: "TextRun", ...run }] };
}

function escapedForSlack(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Returns the signature for a Feishu bot. Feishu requires the HMAC of an empty text, whose key is the time and the
 * secret.
 */
function feishuSignature(secret: string, nowMs: number): object {
  const timestamp = String(Math.floor(nowMs / 1_000));
  return { timestamp, sign: createHmac("sha256", `${timestamp}\n${secret}`).digest("base64") };
}

/** Returns the deduplication key for PagerDuty. The alerts about a cooldown and about its end have the same key. */
function dedupKey({ kind, period, account, subject }: Alert): string {
  const parts = kind === "channel-recovered" ? [period] : [kind, period];
  const key = ["modelgate", ...parts, account, subject].join("/");
  return key.length <= maxDedupKey ? key : createHash("sha256").update(key).digest("hex");
}
