import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

type Props = {
  /** Below the company and environment, or `~/…` from the root. */
  readonly href: string
  readonly children: ReactNode
  /** Called as the link is followed: a dialog closes, which would stand before the other page. */
  readonly onClick?: () => void
}

/** A link inside text or a table. */
export const TextLink = ({ href, children, onClick }: Props) => (
  <Anchor component={Link} href={href} inherit underline="always" {...(onClick && { onClick })}>
    {children}
  </Anchor>
)
