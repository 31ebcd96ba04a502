import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { sectionOf } from '../layout/sections.ts'
import { CodeBlock } from './code-block.tsx'
import { IconSearch } from './icons.ts'
import { texts } from './texts.ts'

type Props = {
  /** What is missing. */
  readonly title: string
  /** One line: why it is missing, or how to get it. */
  readonly children: ReactNode
  /** The button that creates it. */
  readonly action?: ReactNode
  /** The command line that does the same. */
  readonly curl?: string
}

/** Shown in place of an empty page or list: the icon of the screen, what is missing, why, and what to do. */
export function EmptyState({ title, children, action, curl }: Props) {
  const [path] = useLocation()
  const Icon = sectionOf(path)?.icon ?? IconSearch
  return (
    <Paper withBorder className="empty">
      <span className="tile" aria-hidden="true">
        <Icon size={20} stroke={1.75} />
      </span>
      <div>
        <Text fw={600}>{title}</Text>
        <Text maw={560} className="quiet">
          {children}
        </Text>
      </div>
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
