import { Alert, Badge, createTheme, type CSSVariablesResolver } from "@mantine/core";
import { translate } from "../texts/translate.ts";

/** Theme of the console. */
export const theme = createTheme({
  primaryColor: "blue",
  // Dark enough for white text (WCAG AA).
  primaryShade: 8,
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // Mantine's color is too pale for a title (WCAG AA).
    Alert: Alert.extend({ styles: { title: { color: "var(--mantine-color-text)" } } }),
    // Never truncated, because a state shown as "CO…" is useless.
    Badge: Badge.extend({
      defaultProps: { tt: "none" },
      styles: { root: { overflow: "visible" }, label: { overflow: "visible" } },
    }),
    // Makes the button reachable by keyboard.
    PasswordInput: {
      defaultProps: { visibilityToggleButtonProps: { tabIndex: 0, "aria-label": translate("Show or hide") } },
    },
  },
});

/** Greys with enough contrast for text (WCAG AA). */
export const readableGrey: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "var(--mantine-color-gray-7)" },
  dark: { "--mantine-color-dimmed": "var(--mantine-color-gray-5)" },
});
