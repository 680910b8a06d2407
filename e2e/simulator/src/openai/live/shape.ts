import { Shapes } from "../../checks/notation.ts";
import { sharedShapes } from "../shapes.ts";

export const liveClientEvent = new Shapes(
  `
  Format =
    | { type: "audio/pcm", rate: integer(16000, 24000) }
    | { type: "audio/pcmu" | "audio/pcma", rate: integer(8000, 8000) };
  Backend = { model: filled, ... };
  Acknowledgement = { acknowledgement_delay_ms?: integer(0) };
  Delegation =
    | { type: "client", ...Acknowledgement }
    | { type: "responses", responses: Backend, ...Acknowledgement }
    | { type: "decisions", decisions: Backend, ...Acknowledgement };
  DelegationUpdate =
    | { type: "client", ...Acknowledgement }
    | { type: "responses", responses?: object, ...Acknowledgement }
    | { type: "decisions", decisions?: object, ...Acknowledgement };
  InitialItem = {
    type?: "message", role: "developer" | "user" | "assistant",
    content: string | { type: "input_text" | "output_text", text: string }[1..1], ...
  };
  Session = {
    model: filled, audio?: { format?: Format, output?: { voice?: filled | { id: filled } } },
    delegation?: Delegation | null, input?: InitialItem[0..128], instructions?: string | null, store?: boolean,
    triggers?: object[]
  };
  Id = { event_id?: string | null };
  Event =
    | { type: "session.start", session: Session, ...Id }
    | { type: "session.update", session: { delegation?: DelegationUpdate | null, triggers?: object[] }, ...Id }
    | { type: "session.input_audio.append", audio: base64, ...Id }
    | { type: "session.output_audio.fixture.play", audio: base64, ...Id }
    | { type: "session.input_audio.mute" | "session.input_audio.unmute" | "session.close" | "response.create", ...Id }
    | {
        type: "session.instructions.append" | "session.thinking.append" | "session.commentary.append",
        content: string, delegation_id: string | null, ...Id
      }
    | { type: "response.item.create" | "decision.item.create", item: object, ...Id }
    | { type: "decision.item.delete", item_id: filled, ...Id }
    | { type: "decision.create", event_id: string };
`,
  { base: sharedShapes },
).of("Event");
