import { Text } from "@mantine/core";
import type { Channel } from "../api/types.ts";
import { translate } from "../texts/translate.ts";

type Additions = Pick<Channel, "headers" | "defaults" | "force">;

/** Names of the headers and body members that a channel adds to requests. */
export function ChannelAdditions({ channel }: { readonly channel: Additions }) {
  const { headers, defaults, force } = channel;
  const parts = [
    ...(headers.length > 0 ? [translate("headers {names}", { names: headers.join(", ") })] : []),
    ...(defaults.length > 0 ? [translate("default request fields {names}", { names: defaults.join(", ") })] : []),
    ...(force.length > 0 ? [translate("fixed request fields {names}", { names: force.join(", ") })] : []),
  ];
  if (parts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {translate("The channel adds {parts}", { parts: parts.join("; ") })}
    </Text>
  );
}
