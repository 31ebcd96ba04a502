import { Alert } from '@mantine/core'
import type { ChannelTest } from '../common/api/wire.ts'
import { ForeignText } from '../common/ui/foreign-text.tsx'
import { texts } from './texts.ts'

type Props = { readonly target: string; readonly test: ChannelTest }

/** The result of a test, with the answer as the channel sent it. */
export const TestAnswer = ({ target, test: { success, answer } }: Props) => (
  <Alert
    variant="outline"
    color={success ? 'green' : 'red'}
    title={success ? texts.testArrived({ target }) : texts.testFailed({ target })}
  >
    <ForeignText text={answer} limit={300} />
  </Alert>
)
