import { Button } from '@mantine/core'
import { Link } from 'wouter'

type Props = { readonly href: string; readonly children: string; readonly variant?: 'filled' | 'default' }

/** A link to another screen that looks like a button. */
export const ButtonLink = ({ href, children, variant = 'default' }: Props) => (
  <Button component={Link} href={href} variant={variant}>
    {children}
  </Button>
)
