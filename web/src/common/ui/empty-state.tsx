import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { sectionOf } from '../layout/sections.ts'
import { CodeBlock } from './code-block.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly children: ReactNode
  /** What to press. */
  readonly action?: ReactNode
  /** The same by command line. */
  readonly curl?: string
}

/** A list that has nothing yet: why, and what to do, below the icon of its screen. */
export function EmptyState({ children, action, curl }: Props) {
  const [path] = useLocation()
  const Icon = sectionOf(path)?.icon
  return (
    <Paper withBorder p="lg" className="empty">
      {Icon && (
        <span className="empty-icon" aria-hidden="true">
          <Icon size={20} stroke={1.75} />
        </span>
      )}
      <Text maw={560}>{children}</Text>
      {action}
      {curl !== undefined && (
        <div className="empty-curl">
          <Text size="sm">{texts.orFromATerminal}</Text>
          <CodeBlock text={curl} what={texts.curlCommand} />
        </div>
      )}
    </Paper>
  )
}
