import type { ReactNode } from 'react'

type Props = {
  /** The text of the line that opens and closes it, after the chevron. */
  readonly summary: ReactNode
  readonly isOpen?: boolean
  /** A class for that line. */
  readonly className?: string
  readonly children: ReactNode
}

/** Content that opens and closes in place. It is the browser's own element, so keyboards and screen readers know it. */
export const Disclosure = ({ summary, isOpen = false, className, children }: Props) => (
  <details className="disclosure" open={isOpen}>
    <summary className={className}>{summary}</summary>
    {children}
  </details>
)
