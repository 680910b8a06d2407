import { createTheme, MantineProvider, type CSSVariablesResolver } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiError } from "./api/client.ts";
import { router } from "./router.tsx";

const theme = createTheme({
  primaryColor: "blue",
  // Dark enough for white text on it, also while it is pointed at (WCAG AA).
  primaryShade: 8,
  defaultRadius: "md",
  cursorType: "pointer",
});

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) =>
        failures < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
});

/** Grey text that is dark enough to read (WCAG AA); Mantine's own is not. */
const readableGrey: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "var(--mantine-color-gray-7)" },
  dark: { "--mantine-color-dimmed": "var(--mantine-color-gray-5)" },
});

/** The console: its theme, its queries, its pages. */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" cssVariablesResolver={readableGrey}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
