import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { App } from './app.tsx'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './mantine-styles.ts'
import './styles/base.css'
import './styles/frame.css'
import './styles/front.css'
import './styles/tables.css'
import './styles/cards.css'
import './styles/parts.css'
import './styles/figures.css'
import './styles/chart.css'
import './styles/screens.css'
import './styles/pages.css'
import { createConsole } from './common/session/console.ts'
import { ConsoleProvider } from './common/session/context.ts'
import { keepFocusOfBusyButtons } from './common/ui/busy-focus.ts'
import { theme, variables } from './theme.ts'

const parts = createConsole()

/** Mantine adds styles. The page's content policy allows them if they carry the nonce of this answer. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''

// The part of Mantine that stops the page from scrolling below a dialog reads the nonce here.
setNonce(nonce())

keepFocusOfBusyButtons()

const root = document.getElementById('root')
if (!root) throw new Error('The page has no element to render into.')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={nonce}
    >
      <ConsoleProvider value={parts}>
        <QueryClientProvider client={parts.queries}>
          <Router base="/console">
            <App />
          </Router>
        </QueryClientProvider>
      </ConsoleProvider>
      <Notifications position="top-center" autoClose={6_000} />
    </MantineProvider>
  </StrictMode>,
)
