import { holdsAny } from "../../json/holds.ts";
import type { TextCodec } from "../hub/codec.ts";
import { parseFrameRecord } from "../../sse/frame-json.ts";
import type { PassCodec } from "../pass.ts";
import { fitBytes, fitRendered, foreignWords, type ChatDialect } from "./dialect.ts";
import { chatCodec } from "./index.ts";
import { parseAnswer } from "./parse-answer.ts";
import { ChatReader } from "./reader.ts";
import { usageOf } from "./usage.ts";

type ChatCodec = TextCodec<"chat">;

/** A dialect is one object for as long as the process lives: its codec is made once. */
const codecs = new WeakMap<ChatDialect, ChatCodec>();

/** The chat wire as a vendor with departures speaks it: requests are fitted to it, and its usage is read where it stands. */
export function chatCodecIn(dialect: ChatDialect): ChatCodec {
  const known = codecs.get(dialect);
  if (known !== undefined) return known;
  const { vendor } = chatCodec;
  const pass = passIn(dialect);
  const codec: ChatCodec = {
    ...chatCodec,
    pass,
    vendor: {
      ...vendor,
      render(request, target) {
        const rendered = vendor.render(request, target);
        const { body, dropped } = fitRendered(rendered.body, dialect);
        return { body, dropped: [...rendered.dropped, ...dropped] };
      },
      parse: (body) => parseAnswer(body, dialect),
      usage: pass.usage,
      stream: () => new ChatReader(dialect),
    },
  };
  codecs.set(dialect, codec);
  return codec;
}

function passIn(dialect: ChatDialect): PassCodec {
  const { pass } = chatCodec;
  const words = foreignWords(dialect);
  const { takes: usuallyTakes } = pass;
  const { maxTokens, usageUnasked, usageIn } = dialect;
  return {
    ...pass,
    *takes(body, model) {
      if (words.length > 0 && (yield* holdsAny(body, ...words))) return false;
      return usuallyTakes === undefined || (yield* usuallyTakes(body, model));
    },
    boundOrder: (model) => (maxTokens === undefined ? pass.boundOrder(model) : [maxTokens, ...pass.boundOrder(model)]),
    upstreamBody: (body, change) =>
      pass.upstreamBody(body, { ...change, reportUsage: change.reportUsage && usageUnasked !== true }),
    fit: (body) => fitBytes(body, dialect),
    see(frame) {
      const seen = pass.see(frame);
      if (seen.usage === undefined && (usageIn === undefined || !frame.includes(usageIn))) return seen;
      const chunk = parseFrameRecord(frame);
      return chunk === undefined ? seen : { ...seen, usage: usageOf(chunk, dialect) };
    },
    usage(answer) {
      pass.usage(answer);
      return usageOf(answer, dialect);
    },
  };
}
