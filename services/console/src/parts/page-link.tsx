import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

function SmallAnchor(props: AnchorProps & Omit<ComponentPropsWithRef<"a">, keyof AnchorProps>) {
  return <Anchor size="sm" {...props} />;
}

/** Link to a page of the console. */
export const PageLink = createLink(SmallAnchor);
