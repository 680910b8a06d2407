import { createHmac } from "node:crypto";
import { createServer } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alertTargetPurpose, type Alert, type AlertTargetKind, type AlertTargetSecret } from "@modelgate/contracts";
import { makeCipher } from "@modelgate/platform";
import { listen, startScriptedServer, type ScriptedAnswer, type ScriptedServer } from "@modelgate/testkit";
import { openAlertSender } from "../../src/alerts/send.ts";

const secrets = ["a secret of some length"] as const;
const cipher = makeCipher(secrets, alertTargetPurpose);
const sender = openAlertSender({ secrets, timeoutMs: 10_000 });
const { signal } = new AbortController();

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

const targetOf = (kind: AlertTargetKind, secret: AlertTargetSecret, account = "", id = "trg_1") => ({
  target: { id, account, kind, name: "ops", address: "127.0.0.1", createdAt: alert.time },
  sealed: cipher.encrypt(JSON.stringify(secret), id),
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

  async function sent(kind: AlertTargetKind, secret: Omit<AlertTargetSecret, "url"> = {}, about = alert) {
    const url = `${server.url}/hooks/T0PSECRET`;
    expect(await sender.send(targetOf(kind, { url, ...secret }), about, signal)).toBeUndefined();
    const [request] = server.requests;
    expect(request).toMatchObject({ method: "POST", url: "/hooks/T0PSECRET" });
    expect(request?.headers["content-type"]).toBe("application/json");
    const body: unknown = JSON.parse(request?.body ?? "");
    return { request, body };
  }

  test("a webhook receives the alert, signed with the target's secret", async () => {
    const { request, body } = await sent("webhook", { secret: "whsec_1" });
    expect(body).toEqual(alert);
    const [, seconds = "", signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(request?.headers["x-modelgate-signature"])) ?? [];
    const expected = createHmac("sha256", "whsec_1")
      .update(`${seconds}.${request?.body ?? ""}`)
      .digest("hex");
    expect(signature).toBe(expected);
  });

  test("Slack receives text and blocks, in which no name is markup", async () => {
    const { body } = await sent("slack");
    expect(body).toEqual({
      text: "modelgate: budget: 80 % of the budget &lt;!channel&gt; [x](http://evil) &amp; co are spent.",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "modelgate: budget" } },
        { type: "section", text: { type: "plain_text", text: alert.summary } },
        { type: "context", elements: [{ type: "plain_text", text: "warning, 2026-11-26T10:30:00.000Z" }] },
      ],
    });
  });

  test("Microsoft Teams receives an adaptive card in a message", async () => {
    const { body } = await sent("teams");
    expect(body).toEqual({
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
    const { body } = await sent("feishu");
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
    expect(body).toEqual(post);
    server.requests.length = 0;
    answer = { body: { code: 0, msg: "success", data: {} } };
    const { body: signed } = await sent("feishu", { secret: "bot secret" });
    const { timestamp, sign } = Object.assign({ timestamp: "", sign: "" }, signed);
    expect(timestamp).toMatch(/^\d{10}$/);
    expect(sign).toBe(createHmac("sha256", `${timestamp}\nbot secret`).update("").digest("base64"));
    expect(signed).toEqual({ ...post, timestamp, sign });
    answer = { body: { code: 19_021, msg: "sign match fail or timestamp is not within one hour" } };
    const refused = await sender.send(targetOf("feishu", { url: server.url }), alert, signal);
    expect(refused).toContain("sign match fail");
  });

  test("PagerDuty receives a trigger, and a resolve with the same key when a pause ends", async () => {
    answer = { status: 202, body: { status: "success" } };
    const { body } = await sent("pagerduty", { secret: "R0UTING" });
    expect(body).toEqual({
      routing_key: "R0UTING",
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
    const keys: unknown[] = [];
    for (const about of [rest, { ...rest, kind: "channel-recovered", period: "key-refused/2026-11-26T10" } as const]) {
      server.requests.length = 0;
      keys.push((await sent("pagerduty", { secret: "R0UTING" }, about)).body);
    }
    const [trigger, resolve] = keys;
    const key = "modelgate/key-refused/2026-11-26T10//main/k1";
    expect(trigger).toMatchObject({ event_action: "trigger", dedup_key: key });
    expect(resolve).toEqual({ routing_key: "R0UTING", event_action: "resolve", dedup_key: key });
    server.requests.length = 0;
    const { body: long } = await sent("pagerduty", { secret: "R0UTING" }, { ...alert, subject: "s".repeat(400) });
    expect(long).toMatchObject({ dedup_key: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown });
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
  const mails: { readonly from: string; readonly to: readonly string[]; readonly text: string }[] = [];
  let attemptedSignIns = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onAuth(_auth, _session, done) {
      attemptedSignIns++;
      done(null, { user: "any" });
    },
    onRcptTo({ address }, _session, done) {
      done(address.startsWith("unknown") ? new Error("no such user") : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        const to = envelope.rcptTo.map(({ address }) => address);
        mails.push({ from, to, text: Buffer.concat(chunks).toString() });
        done();
      });
    },
  });
  let url: string;
  beforeAll(async () => {
    url = (await listen(server.server)).replace("http:", "smtp:");
  });
  afterAll(() => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(resolve);
    return promise;
  });

  test("goes to every recipient, with the alert as text", async () => {
    const to = "ops@example.com, Ann <ann@example.com>";
    expect(await sender.send(targetOf("email", { url, from: "gate@example.com", to }), alert, signal)).toBeUndefined();
    const [mail] = mails;
    expect(mail).toMatchObject({ from: "gate@example.com", to: ["ops@example.com", "ann@example.com"] });
    expect(mail?.text).toContain("Subject: [modelgate] 80 % of the budget <!channel>");
    expect(mail?.text).toContain("severity: warning");
    expect(mail?.text).toContain("spentUsd: 8.0");
  });

  test("sends a password only over TLS, and names refusals by their code", async () => {
    const withPassword = url.replace("smtp://", "smtp://ann:pa55word@");
    const mail = { from: "gate@example.com", to: "ops@example.com" };
    const failure = await sender.send(targetOf("email", { url: withPassword, ...mail }), alert, signal);
    expect(failure).toMatch(/^it cannot be reached \(/);
    expect(failure).not.toContain("pa55word");
    expect(attemptedSignIns).toBe(0);
    const unknown = await sender.send(targetOf("email", { url, ...mail, to: "unknown@example.com" }), alert, signal);
    expect(unknown).toBe("it cannot be reached (550)");
  });

  test.each(["a limit of time", "an abort"])("ends by %s although the server never stops to answer", async (end) => {
    const aborting = new AbortController();
    const closed = Promise.withResolvers<void>();
    const slow = createServer((socket) => {
      const dripping = setInterval(() => socket.write("250-more\r\n"), 5);
      socket.write("220 ready\r\n");
      socket
        .on("data", () => end === "an abort" && aborting.abort())
        .on("error", () => undefined)
        .on("close", () => {
          clearInterval(dripping);
          closed.resolve();
        });
    });
    const address = (await listen(slow)).replace("http:", "smtp:");
    const limited = openAlertSender({ secrets, timeoutMs: end === "an abort" ? 60_000 : 300 });
    const mail = { url: address, from: "gate@example.com", to: "ops@example.com" };
    expect(await limited.send(targetOf("email", mail), alert, aborting.signal)).toBe("it did not answer in time");
    await closed.promise;
    slow.close();
  });
});
