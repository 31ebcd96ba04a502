import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { texts } from './common/ui/texts.ts'

/*
 * Every colour and size of the console. docs/design.md says what each is for; the styles name them and nothing else.
 * Each text colour has a contrast of 4.5:1 at least on each surface it stands on; axe measures it.
 */

/** From the lightest to the darkest; 6 is the accent on light, 3 on dark. */
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
  '#f7f8fa',
  '#f1f3f6',
  '#e6e8ec',
  '#e6e8ec',
  '#cfd4dc',
  '#a9b1bd',
  '#667080',
  '#4b5565',
  '#2a3444',
  '#0f1728',
]

/** Mantine's dark scheme takes text from the beginning and surfaces from the end. */
const DARK: MantineColorsTuple = [
  '#e8ebf1',
  '#aab3c2',
  '#8a94a6',
  '#5b6577',
  '#343d4d',
  '#232a36',
  '#181d28',
  '#12161f',
  '#0f131b',
  '#0b0e14',
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
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': texts.dismissThisMessage } } },
    Menu: { defaultProps: { shadow: 'md', radius: 'md' } },
    Modal: { defaultProps: { radius: 'md' } },
    Alert: { defaultProps: { radius: 'md' } },
    Paper: { defaultProps: { radius: 'md' } },
    Fieldset: { defaultProps: { radius: 'md' } },
  },
})

/** The same in both schemes. */
const SIZES = {
  '--control-height': '32px',
  '--control-height-touch': '36px',
  '--bar-height': '48px',
  '--side-width': '232px',
  '--page-width': '1200px',
  '--row-height': '40px',
  '--chart-height': '180px',
  '--figure-size': '28px',
  '--figure-line': '34px',
  '--motion': '120ms',
  '--on-accent': '#ffffff',
  '--on-accent-line': 'rgb(255 255 255 / 30%)',
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
  '--canvas': '#f7f8fa',
  '--surface': '#ffffff',
  '--raised': '#ffffff',
  '--chosen': '#ffffff',
  '--hover': '#f1f3f6',
  '--border': '#e6e8ec',
  '--border-strong': '#cfd4dc',
  '--text': '#0f1728',
  '--secondary': '#4b5565',
  '--faint': '#667080',
  '--accent': '#3f51d9',
  '--accent-room': '#eef0ff',
  '--good': '#0f7a55',
  '--good-room': '#e6f5ee',
  '--warning': '#8a4b00',
  '--warning-room': '#fdf1dc',
  '--bad': '#c22f24',
  '--bad-room': '#fdecea',
  '--info': '#1b62d1',
  '--info-room': '#e8f0fe',
  '--idle': '#4b5565',
  '--idle-room': '#eef0f3',
  '--sandbox': '#8a5510',
  '--sandbox-room': '#fff6e0',
  '--sandbox-stripe': '#b7791f',
  '--chart-good': '#8fa3c4',
  '--chart-bad': '#d4483c',
  '--chart-1': '#3f51d9',
  '--chart-2': '#b7791f',
  '--chart-3': '#c22f24',
  '--code-room': '#f4f5f8',
  '--step-1': '#3f51d9',
  '--step-2': '#8a5fd1',
  '--step-3': '#0f7a55',
  '--step-4': '#b7791f',
  '--step-5': '#a9b1bd',
}

const NIGHT = {
  '--canvas': '#0b0e14',
  '--surface': '#12161f',
  '--raised': '#181d28',
  '--chosen': '#343d4d',
  '--hover': '#1a202c',
  '--border': '#232a36',
  '--border-strong': '#343d4d',
  '--text': '#e8ebf1',
  '--secondary': '#aab3c2',
  '--faint': '#8f99ab',
  '--accent': '#98a5ff',
  '--accent-room': '#1c2242',
  '--good': '#4cc38a',
  '--good-room': '#12291f',
  '--warning': '#f0b429',
  '--warning-room': '#2a2210',
  '--bad': '#ff7a6b',
  '--bad-room': '#331a18',
  '--info': '#6aa9ff',
  '--info-room': '#152540',
  '--idle': '#aab3c2',
  '--idle-room': '#212836',
  '--sandbox': '#f0b429',
  '--sandbox-room': '#2a2210',
  '--sandbox-stripe': '#f0b429',
  '--chart-good': '#51627f',
  '--chart-bad': '#ff7a6b',
  '--chart-1': '#8d9bff',
  '--chart-2': '#f0b429',
  '--chart-3': '#ff7a6b',
  '--code-room': '#0d1119',
  '--step-1': '#8d9bff',
  '--step-2': '#b794f6',
  '--step-3': '#4cc38a',
  '--step-4': '#f0b429',
  '--step-5': '#5b6577',
}

/** What Mantine's own parts take from them. */
const MANTINE = {
  '--mantine-color-body': 'var(--surface)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--secondary)',
  '--mantine-color-anchor': 'var(--accent)',
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
