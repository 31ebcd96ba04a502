import { Alert, Button, Group, Text } from '@mantine/core'
import { texts } from './texts.ts'

type Props = {
  /** The question, what leaving would lose, and the text of the button that leaves. */
  readonly question: { readonly title: string; readonly means: string; readonly action: string }
  readonly onStay: () => void
  readonly onLeave: () => void
}

/**
 * Asks before a dialog closes whose content would be lost. It covers the end of what is in view, because the user looks there.
 */
export const LeaveQuestion = ({ question: { title, means, action }, onStay, onLeave }: Props) => (
  <Alert color="red" variant="outline" title={title} role="alert" className="leave-question">
    <Text size="sm">{means}</Text>
    <Group mt="xs">
      <Button size="xs" onClick={onStay} autoFocus>
        {texts.stay}
      </Button>
      <Button size="xs" variant="default" onClick={onLeave}>
        {action}
      </Button>
    </Group>
  </Alert>
)
