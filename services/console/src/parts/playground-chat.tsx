import { Alert, Button, Card, Group, Select, SimpleGrid, Stack, Text, Textarea, Title } from "@mantine/core";
import { useEffect, useState } from "react";
import type { Model } from "../api/types.ts";
import { formatDuration } from "../format/numbers.ts";
import { translate } from "../texts/translate.ts";
import { AsCode } from "./as-code.tsx";
import { CallCost } from "./call-cost.tsx";
import { chatStream, type Streamed } from "./gateway.ts";
import type { GatewayAccess } from "./gateway-request.ts";

/** Chat with one or two models. Answers are streamed. */
export function PlaygroundChat({
  gateway,
  models,
}: {
  readonly gateway: GatewayAccess;
  readonly models: readonly Model[];
}) {
  const [call, setCall] = useState<ChatCall>();
  const ask = (draft: Pick<ChatCall, "question" | "models">): void =>
    setCall({ ...draft, gateway, number: (call?.number ?? 0) + 1 });
  return (
    <Stack>
      <Card withBorder>
        <Question models={models} address={gateway.address} onAsk={ask} />
      </Card>
      {call !== undefined && (
        <SimpleGrid cols={{ base: 1, md: call.models.length }}>
          {call.models.map((model, at) => (
            <Answer key={`${call.number}/${at}`} call={call} model={model} />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

function Question({
  models,
  address,
  onAsk,
}: {
  readonly models: readonly Model[];
  readonly address: string;
  readonly onAsk: (call: Pick<ChatCall, "question" | "models">) => void;
}) {
  const [draft, setDraft] = useState({ question: "", first: "", second: "" });
  const names = models.filter(({ kind }) => kind === "chat").map(({ name }) => name);
  const chosen = [draft.first || names[0], draft.second].flatMap((name) =>
    name === undefined || name === "" ? [] : [name],
  );
  const set = (changed: Partial<typeof draft>): void => setDraft({ ...draft, ...changed });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ question: draft.question, models: chosen });
      }}
    >
      <Stack>
        <Group align="end">
          <ModelSelect
            label={translate("Model")}
            names={names}
            value={chosen[0]}
            onChange={(first) => set({ first: first ?? "" })}
          />
          <ModelSelect
            label={translate("Compare with")}
            names={names}
            value={draft.second}
            onChange={(second) => set({ second: second ?? "" })}
          />
        </Group>
        <Textarea
          label={translate("Message")}
          required
          autosize
          minRows={3}
          value={draft.question}
          onChange={({ currentTarget }) => set({ question: currentTarget.value })}
        />
        <Group>
          <Button type="submit" disabled={chosen.length === 0}>
            {translate("Send")}
          </Button>
        </Group>
        <AsCode kind="chat" gateway={{ address, model: chosen[0] ?? "" }} text={draft.question} />
      </Stack>
    </form>
  );
}

function ModelSelect({
  label,
  names,
  value,
  onChange,
}: {
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string | undefined;
  readonly onChange: (name: string | null) => void;
}) {
  return <Select label={label} data={[...names]} searchable clearable value={value || null} onChange={onChange} />;
}

interface ChatCall {
  readonly number: number;
  readonly gateway: GatewayAccess;
  readonly question: string;
  readonly models: readonly string[];
}

/** Answer of one model. Sends the request when it is first shown, and aborts it when it is removed. */
function Answer({ call, model }: { readonly call: ChatCall; readonly model: string }) {
  const [answer, setAnswer] = useState<Streamed>({ text: "" });
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    const abort = new AbortController();
    stream(call, model, setAnswer, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) setFailure(error instanceof Error ? error.message : String(error));
    });
    return () => abort.abort();
  }, [call, model]);
  return (
    <Card withBorder>
      <Title order={3} size="h5">
        {model}
      </Title>
      <Text style={{ whiteSpace: "pre-wrap" }} mt="xs" role="status">
        {answer.text}
      </Text>
      {failure !== undefined && (
        <Alert color="red" title={translate("The call failed")} role="alert">
          {failure}
        </Alert>
      )}
      <Text size="xs" c="dimmed" mt="sm">
        {[
          answer.firstTokenMs === undefined
            ? undefined
            : translate("first token {time}", { time: formatDuration(answer.firstTokenMs) }),
          answer.totalMs === undefined
            ? undefined
            : translate("total {time}", { time: formatDuration(answer.totalMs) }),
          answer.inputTokens === undefined
            ? undefined
            : translate("{input} + {output} tokens", { input: answer.inputTokens, output: answer.outputTokens ?? 0 }),
        ]
          .filter((part) => part !== undefined)
          .join(", ")}
      </Text>
      {answer.totalMs !== undefined && answer.requestId !== undefined && <CallCost requestId={answer.requestId} />}
    </Card>
  );
}

async function stream(
  call: ChatCall,
  model: string,
  show: (answer: Streamed) => void,
  signal: AbortSignal,
): Promise<void> {
  const messages = [{ role: "user", content: call.question }] as const;
  for await (const answer of chatStream({ ...call.gateway, model }, messages, signal)) show(answer);
}
