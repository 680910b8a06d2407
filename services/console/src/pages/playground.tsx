import {
  Alert,
  Button,
  Card,
  Group,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  Title,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { get } from "../api/client.ts";
import type { ConfigurationStatus, Model } from "../api/types.ts";
import { duration } from "../format/numbers.ts";
import { chatStream, type Streamed } from "../parts/gateway.ts";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { PageLink } from "../parts/page-link.tsx";
import { say } from "../texts/say.ts";

/** One or two chat models side by side, streamed, with a key of the gateway as any client has one. */
export function PlaygroundPage() {
  const status = useQuery({ queryKey: ["config"], queryFn: () => get<ConfigurationStatus>("/config") });
  return (
    <Page title={say("Playground")}>
      <Loaded query={status}>
        {({ edgeUrl }) =>
          edgeUrl === null ? (
            <Empty>{say("Set EDGE_URL of control to the gateway's address for clients to use the playground.")}</Empty>
          ) : (
            <Playground address={edgeUrl} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Playground({ address }: { readonly address: string }) {
  const [asked, setAsked] = useState<Asked>();
  const ask = (draft: Pick<Asked, "key" | "question" | "models">): void =>
    setAsked({ ...draft, address, number: (asked?.number ?? 0) + 1 });
  return (
    <Stack>
      <Card withBorder>
        <Question onAsk={ask} />
      </Card>
      {asked !== undefined && (
        <SimpleGrid cols={{ base: 1, md: asked.models.length }}>
          {asked.models.map((model, at) => (
            <Answer key={`${asked.number}/${at}`} asked={asked} model={model} />
          ))}
        </SimpleGrid>
      )}
    </Stack>
  );
}

function Question({ onAsk }: { readonly onAsk: (asked: Pick<Asked, "key" | "question" | "models">) => void }) {
  const models = useQuery({ queryKey: ["models"], queryFn: () => get<readonly Model[]>("/models") });
  const [draft, setDraft] = useState({ key: "", question: "", first: "", second: "" });
  const names = models.data?.filter(({ kind }) => kind === "chat").map(({ name }) => name) ?? [];
  const chosen = [draft.first || names[0], draft.second].flatMap((name) =>
    name === undefined || name === "" ? [] : [name],
  );
  const set = (changed: Partial<typeof draft>): void => setDraft({ ...draft, ...changed });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAsk({ key: draft.key, question: draft.question, models: chosen });
      }}
    >
      <Stack>
        <Group align="end">
          <PasswordInput
            label={say("Key")}
            description={say("Kept on this page only")}
            required
            w={280}
            value={draft.key}
            onChange={({ currentTarget }) => set({ key: currentTarget.value })}
          />
          <ModelSelect
            label={say("Model")}
            names={names}
            value={chosen[0]}
            onChange={(first) => set({ first: first ?? "" })}
          />
          <ModelSelect
            label={say("Beside it")}
            names={names}
            value={draft.second}
            onChange={(second) => set({ second: second ?? "" })}
          />
        </Group>
        <Textarea
          label={say("Message")}
          required
          autosize
          minRows={3}
          value={draft.question}
          onChange={({ currentTarget }) => set({ question: currentTarget.value })}
        />
        <Group>
          <Button type="submit" disabled={chosen.length === 0}>
            {say("Send")}
          </Button>
        </Group>
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

interface Asked {
  readonly number: number;
  readonly address: string;
  readonly key: string;
  readonly question: string;
  readonly models: readonly string[];
}

/** The answer of one model: asked once when it is shown first, ended when it is asked anew or the page is left. */
function Answer({ asked, model }: { readonly asked: Asked; readonly model: string }) {
  const [answer, setAnswer] = useState<Streamed>({ text: "" });
  const [failure, setFailure] = useState<string>();
  const begun = useRef(false);
  const begin = (element: HTMLElement | null): void => {
    if (element === null || begun.current) return;
    begun.current = true;
    void stream(asked, model, setAnswer).catch((error: unknown) =>
      setFailure(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <Card withBorder ref={begin}>
      <Title order={3} size="h5">
        {model}
      </Title>
      <Text style={{ whiteSpace: "pre-wrap" }} mt="xs" role="status">
        {answer.text}
      </Text>
      {failure !== undefined && (
        <Alert color="red" title={say("The call failed")} role="alert">
          {failure}
        </Alert>
      )}
      <Text size="xs" c="dimmed" mt="sm">
        {[
          answer.firstTokenMs === undefined
            ? undefined
            : say("first token {time}", { time: duration(answer.firstTokenMs) }),
          answer.totalMs === undefined ? undefined : say("total {time}", { time: duration(answer.totalMs) }),
          answer.inputTokens === undefined
            ? undefined
            : say("{input} + {output} tokens", { input: answer.inputTokens, output: answer.outputTokens ?? 0 }),
        ]
          .filter((part) => part !== undefined)
          .join(", ")}
      </Text>
      {answer.totalMs !== undefined && answer.requestId !== undefined && (
        <PageLink size="xs" to="/calls/$requestId" params={{ requestId: answer.requestId }}>
          {say("what it cost")}
        </PageLink>
      )}
    </Card>
  );
}

async function stream(asked: Asked, model: string, show: (answer: Streamed) => void): Promise<void> {
  const messages = [{ role: "user", content: asked.question }] as const;
  for await (const answer of chatStream({ address: asked.address, key: asked.key, model }, messages)) show(answer);
}
