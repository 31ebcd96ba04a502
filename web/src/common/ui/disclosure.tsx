import type { ReactNode } from 'react'

type Props = {
  /** The line that opens it and closes it, behind the chevron. */
  readonly summary: ReactNode
  readonly isOpen?: boolean
  /** Of the line. */
  readonly className?: string
  readonly children: ReactNode
}

/** What opens and closes in place. Keyboards and readers of screens know it as the browser's own; only its look is ours. */
export const Disclosure = ({ summary, isOpen = false, className, children }: Props) => (
  <details className="disclosure" open={isOpen}>
    <summary className={className}>{summary}</summary>
    {children}
  </details>
)
