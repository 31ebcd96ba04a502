import { createTheme, type CSSVariablesResolver } from '@mantine/core'

/** Mantine's looks. What differs from its defaults does so for WCAG 2.2 AA, as axe measures it: contrast (4.5:1), names. */
export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss this message' } } },
  },
})

export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#495057',
    '--mantine-color-error': '#c01f1f',
    '--mantine-color-anchor': '#1458c2',
    '--mantine-color-placeholder': '#646b72',
    '--mantine-color-red-outline': '#c01f1f',
  },
  dark: {
    '--mantine-color-dimmed': '#b5bac0',
    '--mantine-color-error': '#ff8f8f',
    '--mantine-color-anchor': '#8cbcff',
    '--mantine-color-placeholder': '#a0a6ac',
    '--mantine-color-red-outline': '#ff8f8f',
  },
})
