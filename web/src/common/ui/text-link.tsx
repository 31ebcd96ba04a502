import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

/** A link inside text or a table. @param href below the company and environment, or `~/…` from the root */
export const TextLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} inherit underline="always">
    {children}
  </Anchor>
)
