import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'

type Props = {
  /** A path below the company and environment, or `~/…` from the root. */
  readonly href: string
  readonly children: ReactNode
  /** Called when the link is followed, so that a dialog closes that would cover the other page. */
  readonly onClick?: () => void
}

/** A link inside text. */
export const TextLink = ({ href, children, onClick }: Props) => (
  <Anchor component={Link} href={href} inherit underline="always" {...(onClick && { onClick })}>
    {children}
  </Anchor>
)

/** The link of a row in a table. A click anywhere in the row follows it. */
export const RowLink = ({ href, children }: Pick<Props, 'href' | 'children'>) => (
  <Link href={href} className="row-link">
    {children}
  </Link>
)

/** A second link in a row, or a link beside a heading. It looks like text until the pointer is on it. */
export const QuietLink = ({ href, children }: Pick<Props, 'href' | 'children'>) => (
  <Link href={href} className="quiet-link">
    {children}
  </Link>
)
