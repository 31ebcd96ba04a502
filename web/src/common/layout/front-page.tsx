import { Paper } from '@mantine/core'
import type { ReactNode } from 'react'
import { Brand } from './brand.tsx'

/** A page outside of the screens: who reads it is not signed in, or may not go further yet. */
export const FrontPage = ({ children }: { children: ReactNode }) => (
  <main className="sign-in">
    <Brand />
    <Paper withBorder p="lg">
      {children}
    </Paper>
  </main>
)
