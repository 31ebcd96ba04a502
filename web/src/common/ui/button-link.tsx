import { Button } from '@mantine/core'
import { Link } from 'wouter'

type Props = {
  readonly href: string
  readonly children: string
  readonly variant?: 'filled' | 'default' | 'subtle'
  readonly size?: 'sm' | 'compact-sm'
  /** A fuller text for screen readers, which cannot tell what the button belongs to. */
  readonly label?: string
}

/** A link to another screen that looks like a button. */
export const ButtonLink = ({ href, children, variant = 'default', size = 'sm', label }: Props) => (
  <Button
    component={Link}
    href={href}
    variant={variant}
    {...(variant === 'subtle' && { color: 'gray' })}
    size={size}
    aria-label={label}
  >
    {children}
  </Button>
)
