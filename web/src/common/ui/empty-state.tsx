import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CodeBlock } from './code-block.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly children: ReactNode
  /** What to press. */
  readonly action?: ReactNode
  /** The same by command line. */
  readonly curl?: string
}

/** A list that has nothing yet: why, and what to do. */
export function EmptyState({ children, action, curl }: Props) {
  return (
    <Paper withBorder p="lg">
      <Stack gap="sm" align="flex-start">
        <Text>{children}</Text>
        {action}
        {curl !== undefined && (
          <div className="full-width">
            <Text size="sm">{texts.orFromATerminal}</Text>
            <CodeBlock text={curl} what={texts.curlCommand} />
          </div>
        )}
      </Stack>
    </Paper>
  )
}
