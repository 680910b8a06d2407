import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  alertKinds,
  alertTargetKinds,
  type Alert,
  type AlertTargetKind,
  type AlertTargetSecret,
} from "@modelgate/contracts";
import { startScriptedServer, startSocketServer, type ScriptedAnswer, type ScriptedServer } from "@modelgate/testkit";
import { openAlertSender } from "../../src/alerts/send.ts";
import { startReceivers, targetOf as targetWith, type Receivers } from "./receivers.ts";

const secrets = ["a secret of some length"] as const;
const sender = openAlertSender({ secrets, timeoutMs: 10_000 });
const { signal } = new AbortController();
let receivers: Receivers;
beforeAll(async () => {
  receivers = await startReceivers();
});
afterAll(() => receivers?.[Symbol.asyncDispose]());
beforeEach(() => receivers.forget());

const alert: Alert = {
  id: "alt_1",
  kind: "budget",
  severity: "warning",
  account: "acme",
  subject: "bud_1",
  period: "month/1/80",
  summary: "80 % of the budget <!channel> [x](http://evil) & co are spent.",
  time: "2026-11-26T10:30:00.000Z",
  details: { spentUsd: "8.0" },
};

const targetOf = (kind: AlertTargetKind, secret: AlertTargetSecret, account = "") =>
  targetWith(secrets, kind, secret, { account });

/** Sends an alert to a receiver. Returns the reason for a refusal. */
const sendTo = (kind: AlertTargetKind, about: Alert, more: Partial<AlertTargetSecret> = {}) =>
  sender.send(targetOf(kind, { ...receivers.secretOf(kind), ...more }), about, signal);

describe.each(alertTargetKinds)("a target of the kind %s", (kind) => {
  test.each([...alertKinds, "test" as const])("accepts an alert of the kind %s", async (of) => {
    expect(await sendTo(kind, { ...alert, kind: of })).toBeUndefined();
    expect(await receivers.received(kind)).toHaveLength(1);
  });

  test.each([
    ["a long text", { summary: "\u{1F6A8}".repeat(5_000), subject: "s".repeat(400) }],
    ["long text of letters with three bytes", { summary: "预算已用完".repeat(1_000) }],
    ["text that needs escapes", { summary: `"<&>\\${"<&".repeat(4_000)}` }],
    ["an alert of the gateway without details", { account: "", details: {} }],
    ["the mildest severity", { severity: "info" as const }],
    ["the highest severity", { severity: "critical" as const }],
  ])("accepts %s", async (_what, more) => {
    expect(await sendTo(kind, { ...alert, ...more })).toBeUndefined();
  });
});

describe("a target that is called by HTTP", () => {
  let server: ScriptedServer;
  let answer: ScriptedAnswer = {};
  beforeAll(async () => {
    server = await startScriptedServer(() => answer);
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(() => {
    answer = {};
    server.requests.length = 0;
  });

  /** Sends an alert. Returns what the receiver got. */
  async function sent(kind: AlertTargetKind, about = alert, more: Partial<AlertTargetSecret> = {}) {
    await receivers.forget();
    expect(await sendTo(kind, about, more)).toBeUndefined();
    const [text = ""] = await receivers.received(kind);
    const body: unknown = JSON.parse(text);
    return body;
  }

  test("a webhook receives the alert, and refuses one with another signature", async () => {
    expect(await sent("webhook")).toEqual(alert);
    expect(await sendTo("webhook", alert, { secret: "whsec_of_another" })).toBe(
      'it answered with status 401: {"error":{"message":"the signature is wrong"}}',
    );
  });

  test("Slack receives text and blocks, in which no name is markup", async () => {
    expect(await sent("slack")).toEqual({
      text: "modelgate: budget: 80 % of the budget &lt;!channel&gt; [x](http://evil) &amp; co are spent.",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "modelgate: budget" } },
        { type: "section", text: { type: "plain_text", text: alert.summary } },
        { type: "context", elements: [{ type: "plain_text", text: "warning, 2026-11-26T10:30:00.000Z" }] },
      ],
    });
  });

  test("Microsoft Teams receives an adaptive card in a message", async () => {
    expect(await sent("teams")).toEqual({
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
              expect.objectContaining({ type: "RichTextBlock" }),
              { type: "RichTextBlock", inlines: [{ type: "TextRun", text: alert.summary }] },
              expect.objectContaining({ type: "RichTextBlock" }),
            ],
          },
        },
      ],
    });
  });

  test("Feishu receives a post, signed if the bot has a secret, and its refusals have status 200", async () => {
    const post = {
      msg_type: "post",
      content: {
        post: {
          en_us: {
            title: "modelgate: budget",
            content: [
              [{ tag: "text", text: alert.summary }],
              [{ tag: "text", text: "warning, 2026-11-26T10:30:00.000Z" }],
            ],
          },
        },
      },
    };
    const signature = expect.any(String) as unknown;
    expect(await sent("feishu")).toEqual({ ...post, timestamp: signature, sign: signature });
    expect(await sendTo("feishu", alert, { secret: "of another bot" })).toContain("sign match fail");
    const { url } = receivers.secretOf("feishu");
    await receivers.forget();
    const unsigned = targetOf("feishu", { url: url.replace("signed-ops", "ops") });
    expect(await sender.send(unsigned, alert, signal)).toBeUndefined();
    expect(JSON.parse((await receivers.received("feishu"))[0] ?? "")).toEqual(post);
  });

  test("PagerDuty receives a trigger, and a resolve with the same key when a cooldown ends", async () => {
    const { secret: key = "" } = receivers.secretOf("pagerduty");
    expect(await sent("pagerduty")).toEqual({
      routing_key: key,
      event_action: "trigger",
      dedup_key: "modelgate/budget/month/1/80/acme/bud_1",
      client: "modelgate",
      payload: {
        summary: alert.summary,
        source: "modelgate",
        severity: "warning",
        timestamp: alert.time,
        component: "bud_1",
        group: "acme",
        class: "budget",
        custom_details: { spentUsd: "8.0" },
      },
    });
    const rest = { ...alert, kind: "key-refused", account: "", subject: "main/k1", period: "2026-11-26T10" } as const;
    const trigger = await sent("pagerduty", rest);
    const resolve = await sent("pagerduty", {
      ...rest,
      kind: "channel-recovered",
      period: "key-refused/2026-11-26T10",
    });
    const dedup = "modelgate/key-refused/2026-11-26T10//main/k1";
    expect(trigger).toMatchObject({ event_action: "trigger", dedup_key: dedup });
    expect(resolve).toEqual({ routing_key: key, event_action: "resolve", dedup_key: dedup });
    const long = await sent("pagerduty", { ...alert, subject: "s".repeat(400) });
    expect(long).toMatchObject({ dedup_key: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
    expect(await sendTo("pagerduty", alert, { secret: "R0UTING" })).toMatch(
      /^it answered with status 400: .*Event object is invalid/,
    );
  });

  test("a refusal is named by its status and text, unless the text repeats a secret", async () => {
    const url = `${server.url}/hooks/T0PSECRET`;
    const fails = () => sender.send(targetOf("slack", { url }), alert, signal);
    answer = { status: 404, body: "no_service\n" };
    expect(await fails()).toBe("it answered with status 404: no_service");
    answer = { status: 500, body: "no route /hooks/T0PSECRET here" };
    expect(await fails()).toBe("it answered with status 500");
    answer = { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" };
    expect(await fails()).toBe("it answered with status 302");
  });

  test("a value of the query is hidden without its name, encoded or not", async () => {
    const url = `${server.url}/s%2Becret-path?token=S%2BCRET&x=yes`;
    for (const body of ["bad token S+CRET", "bad token S%2BCRET", "bad token s+cret", "no /s+ecret-path"]) {
      answer = { status: 403, body };
      expect(await sender.send(targetOf("slack", { url }), alert, signal)).toBe("it answered with status 403");
    }
    answer = { status: 403, body: "no such hook" };
    expect(await sender.send(targetOf("slack", { url }), alert, signal)).toContain("no such hook");
  });

  test("targets of accounts do not reach private addresses, and no target reaches link-local ones", async () => {
    const failure = await sender.send(targetOf("webhook", { url: server.url }, "acme"), alert, signal);
    expect(failure).toBe("its host is not on the public internet");
    for (const url of ["http://169.254.169.254/latest", "http://[::ffff:169.254.169.254]/", "http://2852039166/"])
      expect(await sender.send(targetOf("webhook", { url }), alert, signal)).toBe(
        "its host is not on the public internet",
      );
    const mail = { url: "smtp://127.0.0.1:25", from: "a@example.com", to: "b@example.com" };
    expect(await sender.send(targetOf("email", mail, "acme"), alert, signal)).toBe(
      "its host is not on the public internet",
    );
    expect(server.requests).toEqual([]);
  });

  test("a target of another secret, and one that does not answer, are named without their address", async () => {
    const other = openAlertSender({ secrets: ["another secret of some length"], timeoutMs: 10_000 });
    expect(await other.send(targetOf("slack", { url: server.url }), alert, signal)).toContain(
      "another MODELGATE_SECRET",
    );
    const gone = await startScriptedServer({});
    await gone[Symbol.asyncDispose]();
    const failure = await sender.send(targetOf("slack", { url: `${gone.url}/T0PSECRET` }), alert, signal);
    expect(failure).toMatch(/^it cannot be reached/);
    expect(failure).not.toContain("T0PSECRET");
  });
});

describe("e-mail", () => {
  test("goes to every recipient, with the alert as text", async () => {
    expect(await sendTo("email", alert, { to: "ops@example.com, Ann <ann@example.com>" })).toBeUndefined();
    const [mail] = receivers.mail.mails;
    expect(mail).toMatchObject({ from: "gate@example.com", to: ["ops@example.com", "ann@example.com"] });
    expect(mail?.text).toContain("Subject: [modelgate] 80 % of the budget <!channel>");
    expect(mail?.text).toContain("severity: warning");
    expect(mail?.text).toContain("spentUsd: 8.0");
  });

  test("sends a password only over TLS, and names refusals by their code", async () => {
    const { mail: server } = receivers;
    const withPassword = server.url.replace("smtp://", "smtp://ann:pa55word@");
    const mail = { from: "gate@example.com", to: "ops@example.com" };
    const failure = await sender.send(targetOf("email", { url: withPassword, ...mail }), alert, signal);
    expect(failure).toMatch(/^it cannot be reached \(/);
    expect(failure).not.toContain("pa55word");
    expect(server.signIns).toBe(0);
    const unknown = await sendTo("email", alert, { to: "unknown@example.com" });
    expect(unknown).toBe("it cannot be reached (550)");
  });

  test.each(["a limit of time", "an abort"])("ends by %s although the server never stops to answer", async (end) => {
    const aborting = new AbortController();
    const closings: Promise<unknown>[] = [];
    await using slow = await startSocketServer((socket) => {
      closings.push(new Promise((resolve) => socket.on("close", resolve)));
      // Only after the first command: the client takes lines that arrive together with "220" as a part of the greeting.
      let dripping: NodeJS.Timeout | undefined;
      socket.write("220 ready\r\n");
      socket
        .on("data", () => {
          dripping ??= setInterval(() => socket.write("250-more\r\n"), 5);
          if (end === "an abort") aborting.abort();
        })
        .on("close", () => clearInterval(dripping));
    }, "smtp");
    const limited = openAlertSender({ secrets, timeoutMs: end === "an abort" ? 60_000 : 300 });
    const mail = { url: slow.url, from: "gate@example.com", to: "ops@example.com" };
    expect(await limited.send(targetOf("email", mail), alert, aborting.signal)).toBe("it did not answer in time");
    // On a busy machine, the limit can end before the client has connected.
    await Promise.all(closings);
  });
});
