import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { texts } from './common/ui/texts.ts'

/*
 * All colours and sizes of the console. docs/console-look.md explains their use. The styles use these names only. Every
 * text colour has a contrast of at least 4.5:1 on each surface below it; axe measures that in the tests.
 */

/** From the lightest to the darkest. The accent is number 6 on light, and number 3 on dark. */
const ACCENT: MantineColorsTuple = [
  '#eef0ff',
  '#dfe3ff',
  '#c0c8ff',
  '#8d9bff',
  '#6f7fee',
  '#5563e0',
  '#3f51d9',
  '#3444bd',
  '#2b389c',
  '#222d7d',
]

const GRAY: MantineColorsTuple = [
  '#f7f5f1',
  '#f2f0eb',
  '#e8e5de',
  '#e8e5de',
  '#d2cdc2',
  '#b0aa9e',
  '#6e685e',
  '#57524a',
  '#35312b',
  '#1b1917',
]

/** In its dark scheme Mantine takes text colours from the beginning of the list and surfaces from its end. */
const DARK: MantineColorsTuple = [
  '#f0ede6',
  '#b8b3a8',
  '#989285',
  '#6b665c',
  '#413d36',
  '#2d2a25',
  '#22201c',
  '#191815',
  '#141311',
  '#0f0e0c',
]

const FONT = "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif"
const MONO = "'JetBrains Mono Variable', ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace"

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 6, dark: 5 },
  colors: { accent: ACCENT, gray: GRAY, dark: DARK },
  fontFamily: FONT,
  fontFamilyMonospace: MONO,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '22px', lg: '24px', xl: '28px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  radius: { xs: '4px', sm: '6px', md: '10px' },
  defaultRadius: 'sm',
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '22px' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Notification: {
      defaultProps: {
        withBorder: true,
        radius: 'md',
        closeButtonProps: { 'aria-label': texts.dismissThisMessage },
      },
    },
    Menu: { defaultProps: { shadow: 'md', radius: 'md' } },
    Modal: { defaultProps: { radius: 'md', yOffset: '12vh', overlayProps: { backgroundOpacity: 0.45 } } },
    Alert: { defaultProps: { radius: 'md' } },
    Paper: { defaultProps: { radius: 'md' } },
    Fieldset: { defaultProps: { radius: 'md' } },
  },
})

/** Tokens that both schemes share. */
const SIZES = {
  '--control-height': '32px',
  '--control-height-touch': '36px',
  '--bar-height': '48px',
  '--side-width': '228px',
  '--page-width': '1200px',
  '--reading-width': '720px',
  '--row-height': '40px',
  '--chart-height': '180px',
  '--figure-size': '28px',
  '--figure-line': '34px',
  '--motion': '120ms',
  '--on-accent': '#ffffff',
  '--on-accent-line': 'rgb(255 255 255 / 30%)',
  '--night': '#1a1b3a',
  '--night-line': '#565aa6',
  '--night-text': '#f4f1ea',
  '--night-secondary': '#c3c4e4',
  '--night-good': '#7ee2b4',
  '--night-bad': '#ff8f80',
  '--shadow-low': '0 1px 2px rgb(0 0 0 / 12%)',
  '--shadow-high': '0 4px 16px rgb(0 0 0 / 16%)',
  '--space-1': '4px',
  '--space-2': '8px',
  '--space-3': '12px',
  '--space-4': '16px',
  '--space-6': '24px',
  '--space-8': '32px',
}

const LIGHT = {
  '--canvas': '#f6f4ef',
  '--surface': '#ffffff',
  '--raised': '#ffffff',
  '--chosen': '#ffffff',
  '--hover': '#f6f4f0',
  '--border': '#e8e5de',
  '--border-strong': '#d2cdc2',
  '--text': '#1b1917',
  '--secondary': '#57524a',
  '--faint': '#6e685e',
  '--accent': '#3f51d9',
  '--accent-room': '#eceefd',
  '--good': '#0f7a55',
  '--good-room': '#e4f4ec',
  '--warning': '#8a4b00',
  '--warning-room': '#fdf1dc',
  '--bad': '#c22f24',
  '--bad-room': '#fdeeeb',
  '--info': '#1b62d1',
  '--info-room': '#e8f0fe',
  '--idle': '#57524a',
  '--idle-room': '#eeebe5',
  '--sandbox': '#8a5510',
  '--sandbox-room': '#fff6e0',
  '--sandbox-stripe': '#b7791f',
  '--chart-good': '#8d9ad6',
  '--chart-bad': '#d4483c',
  '--chart-1': '#3f51d9',
  '--chart-2': '#b7791f',
  '--chart-3': '#c22f24',
  '--code-room': '#f8f6f2',
  '--code-name': '#2b389c',
  '--code-text': '#0f6a4c',
  '--code-value': '#8a4b00',
  '--code-note': '#6e685e',
  '--step-1': '#3f51d9',
  '--step-2': '#8a5fd1',
  '--step-3': '#0f7a55',
  '--step-4': '#b7791f',
  '--step-5': '#b0aa9e',
}

const NIGHT = {
  '--canvas': '#0f0e0c',
  '--surface': '#171613',
  '--raised': '#22201c',
  '--chosen': '#413d36',
  '--hover': '#201e1a',
  '--border': '#2d2a25',
  '--border-strong': '#413d36',
  '--text': '#f0ede6',
  '--secondary': '#b8b3a8',
  '--faint': '#989285',
  '--accent': '#a1adff',
  '--accent-room': '#22254a',
  '--good': '#4cc38a',
  '--good-room': '#14291f',
  '--warning': '#f0b429',
  '--warning-room': '#2d2410',
  '--bad': '#ff7a6b',
  '--bad-room': '#351c18',
  '--info': '#6aa9ff',
  '--info-room': '#172640',
  '--idle': '#b8b3a8',
  '--idle-room': '#2a2722',
  '--sandbox': '#f0b429',
  '--sandbox-room': '#2d2410',
  '--sandbox-stripe': '#f0b429',
  '--chart-good': '#6674c4',
  '--chart-bad': '#e5604f',
  '--chart-1': '#8d9bff',
  '--chart-2': '#f0b429',
  '--chart-3': '#ff7a6b',
  '--code-room': '#11100e',
  '--code-name': '#a1adff',
  '--code-text': '#7fcfa8',
  '--code-value': '#e0b25a',
  '--code-note': '#989285',
  '--step-1': '#8d9bff',
  '--step-2': '#b794f6',
  '--step-3': '#4cc38a',
  '--step-4': '#f0b429',
  '--step-5': '#6b665c',
}

/** The variables of Mantine's own components, set to these tokens. */
const MANTINE = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--secondary)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-accent-light-color': 'var(--accent)',
  '--mantine-color-gray-light-color': 'var(--secondary)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-placeholder': 'var(--faint)',
  '--mantine-color-red-outline': 'var(--bad)',
  '--mantine-color-green-outline': 'var(--good)',
  '--mantine-color-blue-outline': 'var(--info)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border-strong)',
  '--mantine-color-red-filled': '#c22f24',
  '--mantine-color-red-filled-hover': '#a6271e',
}

export const variables: CSSVariablesResolver = () => ({
  variables: SIZES,
  light: { ...LIGHT, ...MANTINE },
  dark: { ...NIGHT, ...MANTINE },
})
