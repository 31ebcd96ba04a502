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

/** A link inside text. */
export const TextLink = ({ href, children, onClick }: Props) => (
  <Anchor component={Link} href={href} inherit underline="always" {...(onClick && { onClick })}>
    {children}
  </Anchor>
)

/** The link of a row in a table: the whole row follows it. */
export const RowLink = ({ href, children }: Pick<Props, 'href' | 'children'>) => (
  <Link href={href} className="row-link">
    {children}
  </Link>
)

/** Another link in a row, or one beside a heading: quiet until it is pointed at. */
export const QuietLink = ({ href, children }: Pick<Props, 'href' | 'children'>) => (
  <Link href={href} className="quiet-link">
    {children}
  </Link>
)
