import { Alert, Button, Card, FileInput, Group, Image, Progress, Select, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Model } from "../api/types.ts";
import { translate } from "../texts/translate.ts";
import { AsCode } from "./as-code.tsx";
import { CallCost } from "./call-cost.tsx";
import type { GatewayAccess, GatewayModel } from "./gateway-request.ts";
import { makeImage, makeSpeech, makeVideo, transcribe, type MediaResult } from "./gateway-media.ts";

/** Kinds of models that generate media or transcribe a file. */
export type MediaKind = "image" | "speech" | "transcription" | "video";

/** Form for one call that generates media or transcribes a file. */
export function PlaygroundMedia({
  kind,
  gateway,
  models,
}: {
  readonly kind: MediaKind;
  readonly gateway: GatewayAccess;
  readonly models: readonly Model[];
}) {
  const names = models.filter((model) => model.kind === kind).map(({ name }) => name);
  const [chosen, setChosen] = useState<string | null>(null);
  const [text, setText] = useState("");
  const [file, setFile] = useState<File | null>(null);
  const model = chosen ?? names[0] ?? "";
  const { call, percent } = useMake(kind, { ...gateway, model }, { text, file });
  return (
    <Card withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          call.mutate();
        }}
      >
        <Stack>
          <Select label={translate("Model")} data={names} value={model || null} onChange={setChosen} w={280} />
          {kind === "transcription" ? (
            <FileInput label={translate("Recording")} accept="audio/*" value={file} onChange={setFile} w={280} />
          ) : (
            <Textarea
              label={kind === "speech" ? translate("Text to speak") : translate("Prompt")}
              required
              autosize
              minRows={2}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
          <Group>
            <Button type="submit" loading={call.isPending} disabled={model === ""}>
              {translate("Send")}
            </Button>
          </Group>
          {names.length === 0 && <Text size="sm">{translate("No model of this kind is configured.")}</Text>}
          {kind === "video" && call.isPending && <Progress value={percent} aria-label={translate("Progress")} />}
        </Stack>
      </form>
      {call.data !== undefined && <Result kind={kind} made={call.data} />}
      {call.error !== null && (
        <Alert color="red" title={translate("The call failed")} role="alert" mt="sm">
          {call.error.message}
        </Alert>
      )}
      <AsCode kind={kind} gateway={{ address: gateway.address, model }} text={text} />
    </Card>
  );
}

/** Returns the mutation that makes the call, and its progress. */
function useMake(
  kind: MediaKind,
  gateway: GatewayModel,
  { text, file }: { readonly text: string; readonly file: File | null },
) {
  const [percent, setPercent] = useState(0);
  const call = useMutation({
    mutationFn: (): Promise<MediaResult> => {
      setPercent(0);
      if (kind === "image") return makeImage(gateway, text);
      if (kind === "speech") return makeSpeech(gateway, text);
      if (kind === "video") return makeVideo(gateway, text, setPercent);
      if (file === null) throw new Error(translate("Choose a recording first."));
      return transcribe(gateway, file);
    },
  });
  return { call, percent };
}

function Result({ kind, made: { url, text, requestId } }: { readonly kind: MediaKind; readonly made: MediaResult }) {
  return (
    <Stack mt="sm" gap="xs" role="status">
      {url !== undefined && kind === "image" && <Image src={url} alt={translate("Generated image")} maw={512} />}
      {/* Generated media has no captions. */}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      {url !== undefined && kind === "speech" && <audio controls src={url} aria-label={translate("Generated audio")} />}
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption */}
      {url !== undefined && kind === "video" && (
        <video controls src={url} aria-label={translate("Generated video")} width={480} />
      )}
      {text !== undefined && <Text style={{ overflowWrap: "anywhere" }}>{text}</Text>}
      {requestId !== undefined && <CallCost requestId={requestId} />}
    </Stack>
  );
}
